#!/usr/bin/env bash
# Runs every analysis on the demo's models, each into a file: what two devices say is then compared by compare.py.
#   analyses.sh HEADSCOPE_CLI DEMO DEVICE FOLDER         DEMO: what headscope-cli demo --out wrote
set -uo pipefail
cli=$1 demo=$2 device=$3 out=$4
mkdir -p "$out"
corpus=$demo/corpus
translator=(--model "$demo/training/epoch-006" --device "$device")
texts=("${translator[@]}" --source "$corpus/in_domain.en" --reference "$corpus/in_domain.fr" --limit 60)
trees=("${translator[@]}" --conllu "$corpus/in_domain.en.conllu" --limit 60)
pairs=("${translator[@]}" --data "$corpus/pairs.jsonl" --limit 20)
labels=(--model "$demo/classifier/epoch-006" --data "$corpus/in_domain.objects.tsv" --limit 100 --device "$device")
failed=0
run() { # NAME COMMAND…
    local name=$1
    shift
    if ! timeout 300 "$cli" "$@" --out "$out/$name.json" 2>"$out/$name.log"; then
        echo "$name failed: $(tail -n 1 "$out/$name.log")"
        failed=1
    fi
}
run evaluate evaluate "${texts[@]}"
run evaluate-beams evaluate "${texts[@]}" --beams 4
run evaluate-labels evaluate "${labels[@]}"
run ablate ablate "${texts[@]}" --resamples 100
run ablate-beams ablate "${texts[@]}" --beams 4 --resamples 100
run ablate-labels ablate "${labels[@]}" --resamples 100
for kind in mean resample window; do
    run "ablate-$kind" ablate "${texts[@]}" --replace $kind --resamples 100
done
run importance importance "${texts[@]}"
run importance-labels importance "${labels[@]}"
run confidence confidence "${texts[@]}"
run roles roles "${trees[@]}"
run find find "${trees[@]}" --head encoder.0.1 --tag VERB
run probe probe "${trees[@]}"
run relevance relevance "${texts[@]}" --rule attnlrp
run relevance-labels relevance "${labels[@]}"
run similarity similarity "${texts[@]}"
run gradients gradients "${labels[@]}"
run prune prune "${texts[@]}" --step 6
run prune-labels prune "${labels[@]}" --step 6
run search search "${labels[@]}"
run mcnemar mcnemar "${labels[@]}"
run shapley shapley "${labels[@]}" --orders 4
run interactions interactions "${labels[@]}" --most 60 --resamples 100
run gating gating "${labels[@]}" --seeds 1
run needed needed "${labels[@]}" --example 3
run patch patch "${pairs[@]}" --positions
run takeover takeover "${pairs[@]}" --head decoder.1.0
run energy energy "${texts[@]}"
run collaborate collaborate "${texts[@]}" --ranks 32,16
run attention attention "${translator[@]}" --text "the old man walks"
run coreference coreference "${translator[@]}" --conllu "$corpus/coreference.en.conll"
exit $failed
