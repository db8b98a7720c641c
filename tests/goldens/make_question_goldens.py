"""Makes tests/goldens/questions: small random language models, tables of questions of our own in the layouts of published sets, and what
lm-evaluation-harness says of them, question by question.

    pip install torch==2.13.0 transformers==5.24.0 lm-eval==0.4.13
    python tests/goldens/make_question_goldens.py [OUT]

Prompts, choices and metrics are the harness's own (`simple_evaluate` on local files); `masked` repeats one of the tasks with the context of
a head set to zero by a hook on the output projection."""

import json
import sys
import tempfile
from pathlib import Path

import torch
from lm_eval import simple_evaluate
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

OUT = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent / "questions")

THINGS = ["the red ball", "a small dog", "two girls", "the old park", "a green boat", "my brother", "the teacher", "some birds"]
VERBS = ["sees", "finds", "paints", "carries", "forgets", "follows"]
SUBJECTS = ["colours", "animals"]


def sentence(i):
    return f"{THINGS[i % 8].capitalize()} {VERBS[i % 6]} {THINGS[(3 * i + 1) % 8]}."


def rows():
    """Tables in the layouts of the harness's tasks, with texts of our own."""
    n = 12
    four = lambda i: [THINGS[(i + k * (1 + i % 3)) % 8] for k in range(3)] + ["nobody at all"]
    letters = ["A", "B", "C", "D"]
    tables = {
        "arc": [
            {"id": str(i), "question": f"What does {THINGS[i % 8]} find near the sea?",
             "choices": {"text": four(i), "label": letters if i % 2 else ["1", "2", "3", "4"]},
             "answerKey": letters[i % 4] if i % 2 else str(i % 4 + 1)} for i in range(n)],
        "hellaswag": [
            {"ind": i, "activity_label": "Playing [title] ball", "ctx_a": sentence(i), "ctx_b": f"then {THINGS[(i + 2) % 8].upper()}",
             "ctx": "", "endings": [f"[substeps] {VERBS[(i + k) % 6]} {THINGS[(k + i) % 8]}  again." for k in range(4)],
             "label": str(i % 4)} for i in range(n)],
        "mmlu": [
            {"question": f" {sentence(i)} Which one is it? ", "subject": SUBJECTS[i % 2], "choices": four(i), "answer": (2 * i) % 4}
            for i in range(n)],
        "boolq": [{"passage": sentence(i), "question": f"does {THINGS[i % 8]} see it", "label": i % 2} for i in range(n)],
        "own": [
            {"context": sentence(i) + (" " if i % 4 == 0 else ""), "choices": [f"Then {VERBS[(i + k) % 6]} {THINGS[k]}" for k in range(2 + i % 3)],
             "answer": i % 2} for i in range(n)],
        "lambada": [{"text": f"{sentence(i)[:-1]} and {VERBS[(i + 1) % 6]} {THINGS[(i + 4) % 8]}"} for i in range(n)],
    }
    return tables


TASKS = {
    "arc": 'doc_to_text: "Question: {{question}}\\nAnswer:"\ndoc_to_target: "{{choices.label.index(answerKey)}}"\ndoc_to_choice: "{{choices.text}}"',
    "hellaswag": 'process_docs: !function utils.process_docs\ndoc_to_text: "{{query}}"\ndoc_to_target: "{{label}}"\ndoc_to_choice: "choices"',
    "mmlu": 'doc_to_text: "{{question.strip()}}\\nA. {{choices[0]}}\\nB. {{choices[1]}}\\nC. {{choices[2]}}\\nD. {{choices[3]}}\\nAnswer:"\n'
            'doc_to_choice: ["A", "B", "C", "D"]\ndoc_to_target: answer',
    "boolq": 'doc_to_text: "{{passage}}\\nQuestion: {{question}}?\\nAnswer:"\ndoc_to_target: label\ndoc_to_choice: ["no", "yes"]',
    "own": 'doc_to_text: "{{context}}"\ndoc_to_target: answer\ndoc_to_choice: "{{choices}}"',
    "lambada": "doc_to_text: \"{{text.split(' ')[:-1]|join(' ')}}\"\ndoc_to_target: \"{{' '+text.split(' ')[-1]}}\"",
}


def write_task(folder, name, shots):
    kind = "loglikelihood" if name == "lambada" else "multiple_choice"
    metrics = ["perplexity", "acc"] if name == "lambada" else ["acc", "acc_norm", "acc_bytes", "acc_mutual_info"]
    text = f"""task: local_{name}_{shots}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {OUT / (name + '.jsonl')}
    dev: {OUT / (name + '-shots.jsonl')}
test_split: test
fewshot_split: dev
fewshot_config:
  sampler: first_n
output_type: {kind}
{TASKS[name]}
num_fewshot: {shots}
metric_list:
""" + "".join(f"  - metric: {metric}\n" for metric in metrics)
    (folder / f"{name}_{shots}.yaml").write_text(text)


def tokenizer(begins):
    """Byte-level pairs learnt from the tables; `begins`: with a token before every text."""
    learnt = Tokenizer(models.BPE())
    learnt.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    learnt.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=330, special_tokens=["<s>", "<|end|>"], initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    learnt.train_from_iterator([json.dumps(row) for table in rows().values() for row in table], trainer)
    if begins:
        learnt.post_processor = processors.TemplateProcessing(single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 0)])
    names = {"bos_token": "<s>", "eos_token": "<|end|>"} if begins else {"bos_token": "<|end|>", "eos_token": "<|end|>"}
    return PreTrainedTokenizerFast(tokenizer_object=learnt, **names)


def build(name):
    torch.manual_seed(5)
    if name == "gpt2":
        config = GPT2Config(vocab_size=330, n_positions=128, n_embd=32, n_layer=2, n_head=4, bos_token_id=1, eos_token_id=1,
                            initializer_range=0.25)
        return GPT2LMHeadModel(config), tokenizer(False)
    config = LlamaConfig(vocab_size=330, max_position_embeddings=64, hidden_size=32, intermediate_size=48, num_hidden_layers=2,
                         num_attention_heads=4, num_key_value_heads=2, bos_token_id=0, eos_token_id=1, initializer_range=0.25)
    return LlamaForCausalLM(config), tokenizer(True)


def silence(model, layer, head):
    """A hook that sets the context of a head to zero."""
    width = model.config.hidden_size // model.config.num_attention_heads

    def hook(_, args):
        kept = args[0].clone()
        kept[..., head * width:(head + 1) * width] = 0
        return (kept, *args[1:])

    projection = model.transformer.h[layer].attn.c_proj if hasattr(model, "transformer") else model.model.layers[layer].self_attn.o_proj
    return projection.register_forward_pre_hook(hook)


def asked(language_model, manager, name, shots):
    found = simple_evaluate(language_model, tasks=[f"local_{name}_{shots}"], task_manager=manager, log_samples=True, bootstrap_iters=0,
                            batch_size=1)
    samples = sorted(next(iter(found["samples"].values())), key=lambda sample: sample["doc_id"])
    out = []
    for sample in samples:
        answers = [response[0] if isinstance(response[0], (list, tuple)) else response for response in sample["filtered_resps"]]
        scores = [float(answer[0]) for answer in answers]
        metrics = {metric: sample[metric] for metric in ("acc", "acc_norm", "acc_bytes", "acc_mutual_info") if metric in sample}
        choices = scores if name == "lambada" else scores[: len(scores) // 2]
        context = sample["arguments"]["gen_args_0"]["arg_0"] if isinstance(sample["arguments"], dict) else sample["arguments"][0][0]
        out.append({"context": context, "choices": choices, "unconditional": scores[len(choices):],
                    **{key: float(value) for key, value in metrics.items()}})
    return out


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    for name, table in rows().items():
        (OUT / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table[4:]))
        (OUT / f"{name}-shots.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table[:4]))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        (folder / "utils.py").write_text("from lm_eval.tasks.hellaswag.utils import process_docs\n")
        for name in TASKS:
            for shots in (0, 1, 3):
                write_task(folder, name, shots)
        manager = TaskManager(include_path=str(folder), include_defaults=False)
        golden = {}
        for name in ("gpt2", "llama"):
            model, pieces = build(name)
            model.eval()
            model.save_pretrained(OUT / name)
            pieces.save_pretrained(OUT / name)
            language_model = HFLM(pretrained=model, tokenizer=pieces, batch_size=1, device="cpu")
            golden[name] = {f"{task}-{shots}": asked(language_model, manager, task, shots)
                            for task in TASKS for shots in ((0, 1, 3) if task != "lambada" else (0,))}
            hook = silence(model, 1, 2)
            golden[name]["masked"] = asked(language_model, manager, "arc", 0)
            hook.remove()
    (OUT / "golden.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
