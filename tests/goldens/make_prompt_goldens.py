"""Makes prompts.jsonl, prompts-shots.jsonl and prompts.json in tests/goldens/questions: prompts with accepted answers, and what
lm-evaluation-harness says of the texts that the models there (make_question_goldens.py) write behind them.

    pip install torch==2.13.0 transformers==5.24.0 lm-eval==0.4.13
    python tests/goldens/make_prompt_goldens.py [OUT]

Outputs and exact matches are the harness's own (`simple_evaluate`, generate_until, the filter remove_whitespace), `contains` is by the function
of its SQuAD completion. Every second prompt accepts what one of the models writes, as it is or changed in what one of the metrics ignores.
`masked` repeats one of the tasks with the context of a head set to zero by a hook."""

import json
import tempfile
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from lm_eval.tasks.squad_completion.task import contains_score
from make_question_goldens import OUT, THINGS, VERBS, sentence, silence
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

STOPS = ["\n", "e"]
NEW_TOKENS = 6


def rows(answers):
    """`answers`: what the models write; none yet: answers that nothing writes."""
    return [{"prompt": f"Question: what {VERBS[i % 6]} {THINGS[(i + 3) % 8]}? {sentence(i)}\nAnswer:",
             "answers": ["nobody at all"] + (answers[i] if answers else [])} for i in range(12)]


def accepted(texts):
    """Of each prompt; `texts`: by model, of all prompts."""
    found = []
    for i in range(len(texts[0])):
        text = texts[i % len(texts)][i].strip()
        changed = [[], [text], [text.upper() + "!"], [text[: len(text) // 2].upper().strip()]][i % 4]
        found.append([one for one in changed if one])
    return found


def write_table(table):
    (OUT / "prompts.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table[4:]))
    (OUT / "prompts-shots.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table[:4]))


def write_task(folder, shots, loose):
    (folder / f"prompts_{shots}_{loose}.yaml").write_text(f"""task: prompts_{shots}_{loose}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {OUT / 'prompts.jsonl'}
    dev: {OUT / 'prompts-shots.jsonl'}
test_split: test
fewshot_split: dev
fewshot_config:
  sampler: first_n
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: "{{{{answers}}}}"
num_fewshot: {shots}
generation_kwargs:
  until: {json.dumps(STOPS)}
  max_gen_toks: {NEW_TOKENS}
  do_sample: false
filter_list:
  - name: stripped
    filter:
      - function: remove_whitespace
      - function: take_first
metric_list:
  - metric: exact_match
    ignore_case: {str(loose).lower()}
    ignore_punctuation: {str(loose).lower()}
""")


def asked(language_model, folder, shots):
    manager = TaskManager(include_path=str(folder), include_defaults=False)
    samples = {}
    for loose in (False, True):
        found = simple_evaluate(language_model, tasks=[f"prompts_{shots}_{loose}"], task_manager=manager, log_samples=True, bootstrap_iters=0,
                                batch_size=1)
        samples[loose] = sorted(next(iter(found["samples"].values())), key=lambda sample: sample["doc_id"])
    out = []
    for exact, loose in zip(samples[False], samples[True]):
        text = exact["resps"][0][0]
        stripped = exact["filtered_resps"][0]
        out.append({"text": text, "exact_match": float(exact["exact_match"]), "exact_match_normalized": float(loose["exact_match"]),
                    "contains": contains_score(stripped, exact["doc"]["answers"])})
    return out


def main():
    models = {}
    for name in ("gpt2", "llama"):
        model = AutoModelForCausalLM.from_pretrained(OUT / name).eval()
        pieces = PreTrainedTokenizerFast.from_pretrained(OUT / name)
        models[name] = HFLM(pretrained=model, tokenizer=pieces, batch_size=1, device="cpu")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for shots in (0, 1):
            for loose in (False, True):
                write_task(folder, shots, loose)
        write_table(rows(None))
        texts = [[""] * 4 + [one["text"] for one in asked(model, folder, 0)] for model in models.values()]
        write_table(rows(accepted(texts)))
        golden = {"stops": STOPS, "new_tokens": NEW_TOKENS}
        for name, model in models.items():
            golden[name] = {f"{shots}": asked(model, folder, shots) for shots in (0, 1)}
            hook = silence(model.model, 1, 2)
            golden[name]["masked"] = asked(model, folder, 0)
            hook.remove()
    (OUT / "prompts.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
