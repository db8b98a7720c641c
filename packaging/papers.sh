#!/usr/bin/env bash
# Makes a gallery: every table and figure of the six papers, ours beside the paper's claim, with verdicts and commands.
#
#   packaging/papers.sh FOLDER
#
# FOLDER/index.html is the page; beside it is a folder for each model, with report/, window/ and tables/ in it, of which what
# is there already is not made again. Which items there are, and which of these files they are shown by, is said by
# `headscope-cli papers`.
#
# HEADSCOPE_SHARED: a folder with models/ and data/ of real models; without it the demo of the program is shown.
# HEADSCOPE_BIN: the folder of headscope and headscope-cli (build/release/bin or build/dev/bin, whichever is there).
# HEADSCOPE_SAMPLE: examples of each data set (400). With 200 the real models and the trainings took an hour, on two cores with
# other work on them.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 1 ] || { sed -n '2,14s/^# \{0,1\}//p' "$0" >&2; exit 2; }
bin=${HEADSCOPE_BIN:-}
for build in release dev; do
    [ -n "$bin" ] || [ ! -x "$root/build/$build/bin/headscope" ] || bin=$root/build/$build/bin
done
[ -n "$bin" ] || { echo "papers: build Headscope first (packaging/run.sh)" >&2; exit 1; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
sample=${HEADSCOPE_SAMPLE:-400}
export QT_QPA_PLATFORM=offscreen
failed=0

# make FOLDER COMMAND…: unless it is there; what cannot be made leaves its reason in FOLDER.log
make() {
    local folder=$1
    shift
    [ ! -e "$folder" ] || return 0
    mkdir -p "$(dirname "$folder")"
    echo "papers: $folder" >&2
    if ! "$@" >"$folder.log" 2>&1; then
        echo "papers: not made, see $folder.log" >&2
        failed=1
    fi
}

# rescaled NAME ARGUMENTS…: pruning curves whose heads make up for those that are gone
rescaled() { make "$out/$1/tables/rescaled.csv" "$bin/headscope-cli" prune --rescale --format csv --out "$out/$1/tables/rescaled.csv" "${@:2}"; }
# mixing NAME COLUMNS ARGUMENTS…: mixing matrices of so many shared columns
mixing() { make "$out/$1/tables/mixing.json" "$bin/headscope-cli" collaborate --mixing --methods cp --ranks "$2" --out "$out/$1/tables/mixing.json" "${@:3}"; }
# report NAME ARGUMENTS…; window NAME ARGUMENTS…; tables NAME COMMAND ARGUMENTS… (written as COMMAND.csv)
report() { make "$out/$1/report" "$bin/headscope-cli" report --papers --out-dir "$out/$1/report" "${@:2}"; }
window() { make "$out/$1/window" "$bin/headscope" --language en --export-all "$out/$1/window" "${@:2}"; }
# values NAME COMMAND ARGUMENTS…: written as COMMAND.json
values() { make "$out/$1/tables/$2.json" "$bin/headscope-cli" "$2" --out "$out/$1/tables/$2.json" "${@:3}"; }
tables() {
    make "$out/$1/tables/$2.csv" "$bin/headscope-cli" "$2" --format csv --out "$out/$1/tables/$2.csv" "${@:3}"
}

if [ -d "${HEADSCOPE_SHARED:-}/models" ]; then
    models=$HEADSCOPE_SHARED/models
    data=$HEADSCOPE_SHARED/data
    trees=$data/ud_en_ewt/en_ewt-ud-dev.conllu.xz
    model=$models/marian-multi30k-en-fr
    in=("$data/multi30k/test_2016_flickr.en.gz" "$data/multi30k/test_2016_flickr.fr.gz")
    other=("$data/multi30k/test_2017_mscoco.en.gz" "$data/multi30k/test_2017_mscoco.fr.gz")
    report translation --model "$model" --source "${in[0]}" --reference "${in[1]}" --sample "$sample" \
        --out-of-domain "${other[@]}" --beams 1
    tables translation collaborate --model "$model" --source "${in[0]}" --reference "${in[1]}" --sample "$sample" --beams 1
    mixing translation 85 --model "$model" --source "${in[0]}" --reference "${in[1]}" --sample "$sample" --beams 1
    rescaled translation --model "$model" --source "${in[0]}" --reference "${in[1]}" --sample "$sample" --beams 1
    window translation "$model" --in "${in[@]}" --sample "$sample" --out "${other[@]}" --sample "$sample" --beams 1
    window translation-trees "$model" --in "$trees" --sample "$sample" --beams 1
    for name in minilm-sst2 bert-sst2-mini; do
        model=$models/$name
        report "$name" --model "$model" --data "$data/sst2/dev.tsv" --sample "$sample"
        rescaled "$name" --model "$model" --data "$data/sst2/dev.tsv" --sample "$sample"
        window "$name" "$model" --in "$data/sst2/dev.tsv" --sample "$sample"
        # Labelled texts have no trees: roles and probes are of a treebank.
        window "$name-trees" "$model" --in "$trees" --sample "$sample"
        # Made-up documents: CoNLL-2012 has a licence.
        values "$name-trees" coreference --model "$model" --conllu "$root/resources/demo/corpus/coreference.en.conll"
        tables "$name-trees" probe --model "$model" --conllu "$trees" --sample "$sample" --random-model
    done
else
    demo=$root/resources/demo
    corpus=$demo/corpus
    last() { find "$1" -maxdepth 1 -name 'epoch-*' | sort | tail -n 1; }
    model=$(last "$demo/training")
    in=("$corpus/in_domain.en" "$corpus/in_domain.fr")
    other=("$corpus/out_of_domain.en" "$corpus/out_of_domain.fr")
    values demo-translation coreference --model "$model" --conllu "$corpus/coreference.en.conll"
    report demo-translation --model "$model" --source "${in[0]}" --reference "${in[1]}" --conllu "$corpus/in_domain.en.conllu" \
        --out-of-domain "${other[@]}" --beams 1
    tables demo-translation collaborate --model "$model" --source "${in[0]}" --reference "${in[1]}" --beams 1
    mixing demo-translation 43 --model "$model" --source "${in[0]}" --reference "${in[1]}" --beams 1
    rescaled demo-translation --model "$model" --source "${in[0]}" --reference "${in[1]}" --beams 1
    window demo-translation --demo
    tables demo-translation probe --model "$model" --conllu "$corpus/in_domain.en.conllu" --random-model
    model=$(last "$demo/classifier")
    report demo-classifier --model "$model" --data "$corpus/in_domain.objects.tsv" --conllu "$corpus/in_domain.en.conllu"
    rescaled demo-classifier --model "$model" --data "$corpus/in_domain.objects.tsv"
    window demo-classifier --classifier-demo
fi

# Items that take training runs: small ones on the demo's corpus, whatever models are shown above. Table 2 of Voita et al. trains
# the heads that the gates of the first and of the last weight leave.
trained=$out/demo-trainings
corpus=$root/resources/demo/corpus
start=$(find "$root/resources/demo/training" -maxdepth 1 -name 'epoch-*' | sort | tail -n 1)
classifier=$(find "$root/resources/demo/classifier" -maxdepth 1 -name 'epoch-*' | sort | tail -n 1)
lambdas=(0.002 0.005 0.01)
# Results over training are kept beside the checkpoints: not in the sources.
[ -e "$out/demo-training" ] || cp -rs "$root/resources/demo/training" "$out/demo-training"
report demo-over-training --model "$start" --source "$corpus/in_domain.en" --reference "$corpus/in_domain.fr" \
    --conllu "$corpus/in_domain.en.conllu" --sample "$sample" --runs "$out/demo-training" --beams 1
# config NAME START EPOCHS [RATE [TRAIN VALIDATION]]: a configuration of training; START may be empty. Of labelled data where
# these are named. A run ends when two epochs have not been better than the best.
config() {
    local parallel="\"source\": \"$corpus/train.en\", \"reference\": \"$corpus/train.fr\""
    local held="\"source\": \"$corpus/validation.en\", \"reference\": \"$corpus/validation.fr\""
    mkdir -p "$trained/runs"
    cat >"$trained/runs/$1.json" <<JSON
{"output": "$trained/runs/$1", "start_from": "$2", "epochs": $3, "patience": 2,
 "train": {${5-$parallel}, "limit": 10000},
 "validation": {${6-$held}},
 "model": {"width": 128, "encoder_layers": 3, "decoder_layers": 2, "encoder_heads": 8, "decoder_heads": 8, "feed_forward": 256},
 "vocabulary": {"size": 1000}, "batch_tokens": 1024, "schedule": {"learning_rate": ${4-$rate}, "warmup_steps": 300}}
JSON
}
rate=0.0005 # a trained model would unlearn at that of a new one
# training TABLE COMMAND CONFIG ARGUMENTS…: resumes what an interrupted gallery left
training() {
    make "$trained/tables/$1.csv" "$bin/headscope-cli" "$2" "$trained/runs/$3.json" --format csv --out "$trained/tables/$1.csv" "${@:4}"
}
# lastEpoch FOLDER
lastEpoch() { find "$1" -maxdepth 1 -name 'epoch-*' | sort | tail -n 1; }
config gates "$start" 3
config scratch "$start" 16 0.001 # until models from scratch get no better
config gates-all "$start" 3
config tuning "$start" 1
config tuning-labels "$classifier" 1 $rate "\"data\": \"$corpus/train.objects.tsv\"" "\"data\": \"$corpus/validation.objects.tsv\""
config shapes "" 3 0.002
training l0 l0 gates --kinds encoder --trained all --lambda "$(IFS=,; echo "${lambdas[*]}")"
training l0-all l0 gates-all --trained all --lambda "$(IFS=,; echo "${lambdas[*]}")"
training shared-tuning train tuning --shared-projections 64,43,32
training shared-tuning-labels train tuning-labels --shared-projections 32,21,16
window demo-trainings "$(lastEpoch "$trained/runs/gates/lambda-${lambdas[1]}")" --in "$corpus/in_domain.en.conllu" --beams 1
# Of all kinds of attention: Figures 9 and 10 of Voita et al.
window demo-gates "$(lastEpoch "$trained/runs/gates-all/lambda-${lambdas[1]}")" --in "$corpus/in_domain.en.conllu" --beams 1
masks=()
for lambda in "${lambdas[0]}" "${lambdas[-1]}"; do
    masks+=(--mask "$(lastEpoch "$trained/runs/gates/lambda-$lambda")/alive_heads.json")
done
training against-scratch train scratch "${masks[@]}" --against-scratch
training heads train shapes --heads 1,4,8,16,32
training shared-training train shapes --shared-projections 64,32
"$bin/headscope-cli" papers --gallery "$out"
exit $failed
