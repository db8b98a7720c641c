#!/usr/bin/env python3
"""Makes the tiny models of tests/goldens/families, one to three of every family, and what Hugging Face computes with
them.

    python3 -m venv venv
    venv/bin/pip install torch==2.13.0 transformers==4.44.2 safetensors==0.8.0
    venv/bin/python tests/goldens/make_family_goldens.py tests/goldens/families [NAME …]

Families that 4.44.2 does not have (the cases from "llama-linear" on) are made with 4.57.1 instead:

    venv57/bin/pip install torch==2.13.0 transformers==4.57.1
    venv57/bin/python tests/goldens/make_family_goldens.py tests/goldens/families NAME …

The project itself needs no Python, and the build does not run this. A second run makes the same files on the same kind
of processor. Numbers are of float32 models (weights stored in 16 bits are widened first) with 9 significant digits; how
far float32 is from float64 stands in each golden.json as `noise` (logits: below 1e-5 of the largest). Tests compare
logits to 1e-4 and attention to 1e-5, which every folder's noise allows. Decisions of greedy and beam search have the
margins that `generation` says, 2e-4 at least, which is far more than the noise.

Every folder is a model folder as save_pretrained writes it, without tokenizer (generation_config.json included where
the model generates), and golden.json:
  family        config.json's model_type;  class: the architecture;  kind: "translation" (encoder and decoder),
                "language_model" (decoder only), "masked_lm", "encoder" (`logits` are then the last hidden states)
  special       what is unusual about this folder, in words
  container     how weights are stored
  loads_in_transformers   false: 4.44 cannot open it (the golden is of the model before it was saved)
  width, vocabulary, padding
  stacks        per kind of attention ("encoder", "decoder", "cross"): heads (original numbers of each layer's heads:
                all [head] lists below are in this order), head_width, key_value_heads (where they are grouped)
  rows          input_ids, decoder_input_ids (translation; the first is decoder_start_token_id), token_type_ids (where
                the model has types and was given some), logits [position][vocabulary] (of the decoder's positions,
                where there is a decoder), attention {kind: [layer][head][query·key]}. Computed as one batch padded on
                the right with its attention mask; only valid positions are stored.
  masks         heads ([kind, layer, head]) put to zero, logits of every row's last position. The same as head_mask,
                decoder_head_mask and cross_attn_head_mask where the family has them (checked here); with grouped
                key-value heads a head is a query head.
  generation    settings (those of generation_config.json), call (arguments given to generate() beside them), and for
                "greedy" (1 beam) and "beam" (4 beams), by rows: tokens as generate() returns them, cut after the end
                token, `ended` whether there is one. Translation: from input_ids; language models: from `prompts`, one
                at a time, and tokens begin with the prompt. beam has `score` (sequences_scores), and `margin`: the
                smallest distance between two candidates or hypotheses that were compared; greedy's is the smallest
                distance of the best two logits. `score_4_27` and `tokens_4_27` are what transformers 4.27 would say:
                it counts the start token or prompt in every length but not the end token, and when it asks whether
                the best running beam can still become better, that beam's newest token too. Tokens of translations
                are the same by both rules; those of language models need not be. (With 4.57.1 they are not made.)

    venv/bin/python tests/goldens/make_family_goldens.py --sweeps tests/goldens/families [NAME …]

writes, with transformers 4.57.1, what a sweep over single heads gives into sweep.json of every causal or masked language
model that transformers opens. The folder's weights are made soft for it: a head then moves what tokens cost, and hardly
ever which token is the best.
  factors       tensors of the folder's files that are multiplied (in float32; all files are widened to it)
  mask_id       masked language models: the token that stands for each masked one in turn
  rows          the examples, token by token
  losses        of every row without any mask: -ln p of its tokens, summed (causal: from the second token on, each by
                those before it; masked: of every token, itself masked), by float64
  heads         ([kind, layer, head]) and the losses of every row without that head
  windows       causal models: a long text, and by strides what the loop of Hugging Face's guide to perplexity sums up in
                each window (-ln p of the labels that are not -100), and of how many tokens
  same_best     the share of rows and heads without which the row's best tokens all stay as they were

Folders "fairseq-…" hold no config.json but what fairseq writes: model.pt with the arguments, and dictionaries. (fairseq
itself is not run: the same weights are computed as FSMT, which is its Transformer.) Folders "marian-nmt…" hold what Marian
writes, model.npz with its options and decoder.yml. (Marian is not run either: the same weights are computed as
MarianMTModel, and with norms before sub-layers as MBartForConditionalGeneration, with Marian's positions and its epsilon
of norms.)
"""
import argparse
import collections
import contextlib
import itertools
import json
import math
import pathlib
import shutil
import sys
import warnings
import zlib

import torch
import transformers
from transformers import (BartConfig, BartForConditionalGeneration, BertConfig, BertForMaskedLM, BertModel,
                          DistilBertConfig, DistilBertForMaskedLM, ElectraConfig, ElectraForMaskedLM, GenerationConfig,
                          GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, LogitsProcessor,
                          LogitsProcessorList, M2M100Config, M2M100ForConditionalGeneration, MBartConfig,
                          MBartForConditionalGeneration, MistralConfig, MistralForCausalLM, MT5Config,
                          MT5ForConditionalGeneration, PegasusConfig, PegasusForConditionalGeneration,
                          Qwen2Config, Qwen2ForCausalLM, RobertaConfig, RobertaForMaskedLM,
                          T5Config, T5ForConditionalGeneration)
from transformers.generation.beam_search import BeamHypotheses

FOLDER_LIMIT = 95_000
TOTAL_LIMIT = 1_500_000
NOISE_LIMIT = 1e-5
MARGIN = 2e-4
MAX_LENGTH = 12

Case = collections.namedtuple(
    "Case", "name kind classes config special lengths dtype sharded prune generation call rewrite loads scale skip",
    defaults=((7, 4, 1, 5), torch.float32, False, None, {}, {}, None, True, {}, 0))

IS_NEW = hasattr(transformers, "Olmo3Config")  # 4.57


def causal(name, config="Config"):
    """Configuration and model of a family that 4.44 may not have."""
    return getattr(transformers, name + config, None), getattr(transformers, name + "ForCausalLM", None)


# --- The models -------------------------------------------------------------------------------------------------------

def bart_sizes(width, encoder, decoder, **more):
    """encoder, decoder: (layers, heads, feed-forward)."""
    return dict(vocab_size=37, d_model=width, max_position_embeddings=16,
                encoder_layers=encoder[0], encoder_attention_heads=encoder[1], encoder_ffn_dim=encoder[2],
                decoder_layers=decoder[0], decoder_attention_heads=decoder[1], decoder_ffn_dim=decoder[2], **more)


def fsmt():
    from transformers.models.fsmt import modeling_fsmt
    modeling_fsmt.fill_with_neg_inf = lambda tensor: tensor.fill_(torch.finfo(torch.float32).min)  # in float64, too
    return transformers.FSMTConfig, transformers.FSMTForConditionalGeneration


def fsmt_sizes(width, encoder, decoder, **more):
    sizes = bart_sizes(width, encoder, decoder, src_vocab_size=37, langs=["en", "de"], activation_function="relu")
    return {**sizes, "scale_embedding": True, "tie_word_embeddings": False, **more}


MARIAN_GENERATION = dict(forced_eos_token_id=0, bad_words_ids=[[1]])


def marian_sizes(width, encoder, decoder, **more):
    """Padding comes after the tokens that Marian has."""
    return {**bart_sizes(width, encoder, decoder), "pad_token_id": 36, "decoder_start_token_id": 36, "eos_token_id": 0,
            "bos_token_id": 0, "forced_eos_token_id": 0, "scale_embedding": True, **more}


def t5_sizes(width, heads, head_width, feed_forward, encoder_layers, decoder_layers, **more):
    return dict(vocab_size=35, d_model=width, num_heads=heads, d_kv=head_width, d_ff=feed_forward,
                num_layers=encoder_layers, num_decoder_layers=decoder_layers, relative_attention_num_buckets=8,
                relative_attention_max_distance=10, decoder_start_token_id=0,
                **more)


def llama_sizes(width, heads, key_value_heads, feed_forward, **more):
    return dict(dict(vocab_size=37, hidden_size=width, num_attention_heads=heads, num_key_value_heads=key_value_heads,
                     intermediate_size=feed_forward, num_hidden_layers=2, max_position_embeddings=32, bos_token_id=1,
                     eos_token_id=2), **more)


def neox_sizes(width, heads, feed_forward, **more):
    return dict(dict(vocab_size=37, hidden_size=width, num_attention_heads=heads, intermediate_size=feed_forward,
                     num_hidden_layers=2, max_position_embeddings=32, bos_token_id=0, eos_token_id=2), **more)


def gpt_sizes(width, heads, **more):
    return dict(dict(vocab_size=37, n_embd=width, n_head=heads, n_layer=2, n_positions=24, bos_token_id=1,
                     eos_token_id=2), **more)


def falcon_sizes(width, heads, **more):
    return dict(dict(vocab_size=37, hidden_size=width, num_attention_heads=heads, num_hidden_layers=2,
                     max_position_embeddings=32, bos_token_id=1, eos_token_id=2, pad_token_id=0), **more)


def opt_sizes(width, heads, feed_forward, **more):
    return dict(dict(vocab_size=37, hidden_size=width, num_attention_heads=heads, ffn_dim=feed_forward,
                     num_hidden_layers=2, max_position_embeddings=32, word_embed_proj_dim=width, bos_token_id=1,
                     eos_token_id=2, pad_token_id=0), **more)


def modernbert(head):
    return getattr(transformers, "ModernBertConfig", None), getattr(transformers, "ModernBert" + head, None)


def modernbert_sizes(width, heads, layers, feed_forward, **more):
    return dict(vocab_size=33, hidden_size=width, num_attention_heads=heads, num_hidden_layers=layers,
                intermediate_size=feed_forward, max_position_embeddings=14, pad_token_id=0, bos_token_id=1,
                eos_token_id=2, cls_token_id=1, sep_token_id=2, reference_compile=False, **more)


def deberta(head):
    return getattr(transformers, "DebertaV2Config", None), getattr(transformers, "DebertaV2" + head, None)


def deberta_sizes(width, heads, layers, feed_forward, **more):
    return dict(dict(vocab_size=33, hidden_size=width, num_attention_heads=heads, num_hidden_layers=layers,
                     intermediate_size=feed_forward, max_position_embeddings=14, relative_attention=True,
                     max_relative_positions=-1), **more)


def encoder_sizes(width, heads, layers, feed_forward, **more):
    return dict(vocab_size=33, hidden_size=width, num_attention_heads=heads, num_hidden_layers=layers,
                intermediate_size=feed_forward, max_position_embeddings=14, **more)


def llama_with_head_width(config):
    """transformers 4.44 has head_dim in Mistral only, later versions in Llama too: the same model by another name (5.23
    opens the folder as Llama and gives the same logits)."""
    config["model_type"] = "llama"
    config["architectures"] = ["LlamaForCausalLM"]
    config.pop("sliding_window", None)
    config["attention_bias"] = config["mlp_bias"] = False


def ministral_as_mistral(config):
    """As Ministral 8B is published."""
    config["model_type"] = "mistral"
    config["architectures"] = ["MistralForCausalLM"]


def own_pruned_heads(config):
    config["headscope_pruned_heads"] = {kind: {str(layer): heads for layer, heads in layers.items()}
                                        for kind, layers in T5_PRUNED.items()}


# Not the first cross-attention, whose pruning T5Attention gets wrong.
T5_PRUNED = {"encoder": {0: [1], 1: [0, 2]}, "decoder": {0: [2]}, "cross": {1: [1, 2]}}

CASES = [
    Case("bart-cnn", "translation", (BartConfig, BartForConditionalGeneration),
         bart_sizes(12, (2, 3, 20), (1, 2, 17), activation_function="gelu", scale_embedding=True, forced_bos_token_id=0,
                    forced_eos_token_id=2),
         "settings as bart-large-cnn's (forced begin and end, no_repeat_ngram_size, min_length, early stopping, length "
         "penalty 2), scaled embeddings, final_logits_bias that is not zero, decoder shallower and with fewer heads",
         generation=dict(length_penalty=2.0, early_stopping=True, no_repeat_ngram_size=2, min_length=4,
                         forced_bos_token_id=0, forced_eos_token_id=2)),
    Case("bart-untied", "translation", (BartConfig, BartForConditionalGeneration),
         bart_sizes(10, (1, 1, 13), (2, 5, 8), activation_function="relu", scale_embedding=False,
                    tie_word_embeddings=False, forced_eos_token_id=2),
         "one head in the encoder, five in the deeper decoder, lm_head of its own, two shards; the "
         "embeddings of both sides are model.shared (transformers 5 looks for three)", sharded=True,
         generation=dict(length_penalty=0.6, forced_eos_token_id=2)),
    Case("mbart-en-ro", "translation", (MBartConfig, MBartForConditionalGeneration),
         bart_sizes(12, (1, 4, 19), (2, 3, 14), activation_function="gelu", scale_embedding=True,
                    decoder_start_token_id=36, forced_eos_token_id=2),
         "as mbart-large-en-ro: the decoder starts with a language's code", generation=dict(
             decoder_start_token_id=36, forced_eos_token_id=2)),
    Case("mbart-50", "translation", (MBartConfig, MBartForConditionalGeneration),
         bart_sizes(12, (2, 2, 16), (1, 6, 18), activation_function="relu", scale_embedding=True,
                    decoder_start_token_id=2, forced_bos_token_id=35, forced_eos_token_id=2),
         "as mbart-large-50: starts with </s>, the language is forced as the first token; float16",
         dtype=torch.float16, generation=dict(
             decoder_start_token_id=2, forced_bos_token_id=35, forced_eos_token_id=2, early_stopping=True)),
    Case("m2m-nllb", "translation", (M2M100Config, M2M100ForConditionalGeneration),
         bart_sizes(14, (2, 2, 18), (1, 7, 15), activation_function="relu", scale_embedding=True,
                    decoder_start_token_id=2),
         "NLLB's shape: sinusoidal positions counted from the padding id on and not stored, pre-norm, relu; the "
         "language is forced by the call, not by a file", generation=dict(length_penalty=1.5),
         call=dict(forced_bos_token_id=34)),
    Case("m2m-odd-width", "translation", (M2M100Config, M2M100ForConditionalGeneration),
         bart_sizes(15, (1, 3, 11), (2, 5, 12), activation_function="gelu", scale_embedding=False,
                    decoder_start_token_id=2),
         "odd width: the last column of sinusoidal positions is zero; embeddings not scaled; float16",
         dtype=torch.float16, call=dict(forced_bos_token_id=33)),
    Case("t5-relu", "translation", (T5Config, T5ForConditionalGeneration),
         t5_sizes(16, 3, 5, 20, 2, 2, feed_forward_proj="relu"),
         "tied: decoder output scaled by width^-1/2; 3 heads x 5 = 15, not 16", lengths=(10, 4, 1, 5),
         generation=dict(length_penalty=0.8)),
    Case("t5-gated", "translation", (T5Config, T5ForConditionalGeneration),
         t5_sizes(11, 4, 6, 13, 1, 2, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
         "as flan-t5 and T5 1.1: gated gelu (tanh form), lm_head of its own and no scale; 4 x 6 = 24, wider than 11",
         generation=dict(early_stopping=True)),
    Case("mt5-one-head", "translation", (MT5Config, MT5ForConditionalGeneration),
         t5_sizes(10, 1, 7, 12, 3, 1, feed_forward_proj="gated-gelu", tie_word_embeddings=False),
         "one head, three encoder layers, one decoder layer; float16", dtype=torch.float16, lengths=(9, 4, 2, 1),
         scale={"Attention.q": 0.6}),
    Case("t5-pruned", "translation", (T5Config, T5ForConditionalGeneration),
         t5_sizes(12, 3, 4, 14, 2, 2, feed_forward_proj="relu"),
         "layers of unequal width by T5Attention.prune_heads, which leaves relative_attention_bias with all of its "
         "heads; transformers cannot read such a folder, headscope_pruned_heads in config.json says what is gone",
         prune="t5", rewrite=own_pruned_heads, loads=False),
    Case("gpt2-inverse-layer", "language_model", (GPT2Config, GPT2LMHeadModel),
         dict(vocab_size=37, n_embd=12, n_head=3, n_layer=3, n_inner=17, n_positions=20, activation_function="gelu_new",
              scale_attn_by_inverse_layer_idx=True, bos_token_id=36, eos_token_id=36),
         "scale_attn_by_inverse_layer_idx; feed-forward of another width than 4 x; names with transformer.",
         generation=dict(eos_token_id=36, bos_token_id=36, pad_token_id=36, length_penalty=0.7)),
    Case("gpt2-hub", "language_model", (GPT2Config, GPT2LMHeadModel),
         dict(vocab_size=37, n_embd=10, n_head=1, n_layer=2, n_positions=14, activation_function="gelu_new",
              bos_token_id=36, eos_token_id=36),
         "names as in the hub's gpt2: without transformer., with h.N.attn.bias (the causal mask), without lm_head; one "
         "head",
         rewrite="gpt2-hub", generation=dict(eos_token_id=36, bos_token_id=36, pad_token_id=36)),
    Case("gpt2-pruned", "language_model", (GPT2Config, GPT2LMHeadModel),
         dict(vocab_size=37, n_embd=12, n_head=4, n_layer=2, n_inner=19, n_positions=16, activation_function="relu",
              bos_token_id=36, eos_token_id=36, scale_attn_weights=False),
         "layers of unequal width (pruned_heads), attention scores not scaled (scale_attn_weights false); float16",
         prune={0: [1], 1: [0, 2]}, dtype=torch.float16, scale={"attn": 0.6},
         generation=dict(eos_token_id=36, bos_token_id=36, pad_token_id=36)),
    Case("llama-grouped", "language_model", (LlamaConfig, LlamaForCausalLM),
         llama_sizes(16, 4, 2, 21, hidden_act="silu"),
         "4 query heads on 2 key-value heads; lm_head of its own", generation=dict(length_penalty=1.4),
         skip=1),  # of the first seed's prompts one makes beam search stop earlier in transformers 5
    Case("llama-tied", "language_model", (LlamaConfig, LlamaForCausalLM),
         llama_sizes(18, 3, 1, 14, hidden_act="silu", attention_bias=True, mlp_bias=True, tie_word_embeddings=True,
                     rope_theta=500.0, rms_norm_eps=1e-3),
         "3 query heads on one key-value head, biases in attention and feed-forward, tied, another rope_theta"),
    Case("llama-head-dim", "language_model", (MistralConfig, MistralForCausalLM),
         llama_sizes(10, 2, 1, 17, hidden_act="gelu", head_dim=8, sliding_window=None),
         "head_dim 8 where width / heads is 5; made by Mistral's class, which is the same model",
         rewrite=llama_with_head_width, loads=False),
    Case("llama3-rope", "language_model", (LlamaConfig, LlamaForCausalLM),
         llama_sizes(16, 2, 1, 12, hidden_act="silu", tie_word_embeddings=True, rope_theta=50.0, rope_scaling=dict(
             rope_type="llama3", factor=4.0, low_freq_factor=1.0, high_freq_factor=4.0,
             original_max_position_embeddings=16)),
         "Llama 3.1's rope_scaling (rope_type llama3), with frequencies in all three of its ranges; float16; two end "
         "tokens (beam search of 4.44 writes the first of them whichever it was: the third beam ended by 5)",
         dtype=torch.float16, generation=dict(eos_token_id=[2, 5])),
    Case("mistral", "language_model", (MistralConfig, MistralForCausalLM),
         llama_sizes(15, 4, 2, 13, hidden_act="silu", head_dim=6, sliding_window=None),
         "head_dim 6, 4 x 6 = 24 where width is 15; sliding_window null", generation=dict(early_stopping=True)),
    Case("qwen2", "language_model", (Qwen2Config, Qwen2ForCausalLM),
         llama_sizes(16, 4, 2, 15, hidden_act="silu", tie_word_embeddings=True, rope_theta=1000.0),
         "biases of q, k and v but not of the output; 4 query heads on 2; tied; two shards", sharded=True),
    Case("qwen2-untied", "language_model", (Qwen2Config, Qwen2ForCausalLM),
         llama_sizes(12, 3, 1, 18, hidden_act="silu", tie_word_embeddings=False),
         "3 query heads on one, lm_head of its own; float16", dtype=torch.float16),
    Case("bert-model", "encoder", (BertConfig, BertModel),
         encoder_sizes(12, 3, 2, 17, hidden_act="gelu", type_vocab_size=2),
         "no head and no prefix; has a pooler, which nothing here uses; float16", dtype=torch.float16,
         lengths=(9, 4, 1, 5)),
    Case("bert-mlm", "masked_lm", (BertConfig, BertForMaskedLM),
         encoder_sizes(15, 5, 2, 14, hidden_act="gelu", type_vocab_size=2), "tied; five heads"),
    Case("bert-mlm-pruned", "masked_lm", (BertConfig, BertForMaskedLM),
         encoder_sizes(12, 4, 2, 11, hidden_act="gelu_new", type_vocab_size=2, tie_word_embeddings=False,
                       layer_norm_eps=1e-5),
         "layers of unequal width (pruned_heads), decoder of its own", prune={0: [0, 3], 1: [2]}),
    Case("roberta-mlm", "masked_lm", (RobertaConfig, RobertaForMaskedLM),
         encoder_sizes(12, 2, 2, 15, hidden_act="gelu", type_vocab_size=1, layer_norm_eps=1e-5),
         "positions counted from the padding id on, one row has that id inside"),
    Case("distilbert-mlm", "masked_lm", (DistilBertConfig, DistilBertForMaskedLM),
         dict(vocab_size=33, dim=14, n_heads=7, n_layers=2, hidden_dim=15, max_position_embeddings=14,
              activation="gelu"),
         "vocab_transform, vocab_layer_norm, vocab_projector; seven heads of width 2"),
    Case("electra-mlm", "masked_lm", (ElectraConfig, ElectraForMaskedLM),
         encoder_sizes(12, 3, 2, 13, hidden_act="gelu", type_vocab_size=2, embedding_size=9),
         "the generator: embeddings of width 9, model 12"),
    Case("pegasus", "translation", (PegasusConfig, PegasusForConditionalGeneration),
         bart_sizes(12, (2, 3, 15), (1, 2, 17), activation_function="relu", scale_embedding=True,
                    decoder_start_token_id=0, pad_token_id=0, eos_token_id=1, forced_eos_token_id=1),
         "pre-norm, final norms, computed positions, final_logits_bias that is not zero",
         generation=dict(length_penalty=0.8, forced_eos_token_id=1)),
    Case("opt", "language_model", causal("OPT"),
         opt_sizes(12, 3, 17), "positions after two rows that nothing uses, pre-norm, tied"),
    Case("opt-post", "language_model", causal("OPT"),
         opt_sizes(10, 5, 13, do_layer_norm_before=False, enable_bias=False, tie_word_embeddings=False),
         "post-norm, no biases, lm_head of its own; float16", dtype=torch.float16),
    Case("fsmt", "translation", fsmt(), fsmt_sizes(14, (2, 2, 18), (1, 7, 15), tgt_vocab_size=41, vocab_size=37),
         "as wmt19-en-de: two vocabularies, the output tied to the decoder's, post-norm",
         generation=dict(length_penalty=1.15, forced_eos_token_id=2, bad_words_ids=[[1]])),
    Case("fairseq-joined", "translation", fsmt(),
         fsmt_sizes(12, (2, 3, 15), (2, 4, 17), tgt_vocab_size=37, tie_word_embeddings=True, vocab_size=37),
         "as the models of WMT 2014: one dictionary for both languages, queries, keys and values in one tensor "
         "(in_proj_weight), an argparse.Namespace under \"args\"",
         rewrite="fairseq", loads=False, generation=dict(forced_eos_token_id=2, bad_words_ids=[[1]])),
    Case("marian-nmt", "translation", (transformers.MarianConfig, transformers.MarianMTModel),
         marian_sizes(12, (2, 3, 20), (2, 3, 17), activation_function="swish"),
         "as OPUS-MT trains them: norms after every sum, one table for everything (tied-embeddings-all)",
         rewrite="marian", loads=False, generation=MARIAN_GENERATION, skip=3),
    Case("marian-nmt-apart", "translation", (transformers.MarianConfig, transformers.MarianMTModel),
         marian_sizes(10, (1, 5, 11), (2, 5, 11), activation_function="relu", share_encoder_decoder_embeddings=False),
         "two vocabularies, the target's of 31 tokens, the output tied to it (tied-embeddings); compressed arrays",
         rewrite="marian", loads=False, generation=MARIAN_GENERATION),
    Case("marian-nmt-pre", "translation", (MBartConfig, MBartForConditionalGeneration),
         marian_sizes(12, (2, 2, 15), (1, 2, 15), activation_function="relu", tie_word_embeddings=False),
         "norms before every sub-layer, at the top and of the embeddings (n, da, n, nd); an output of its own "
         "(tied-embeddings-src)", rewrite="marian", loads=False, generation=MARIAN_GENERATION),
    # --- with transformers 4.57.1
    Case("llama-linear", "language_model", causal("Llama"),
         llama_sizes(18, 3, 1, 14, hidden_act="silu", tie_word_embeddings=True, rope_theta=100.0,
                     rope_scaling=dict(rope_type="linear", factor=2.5)),
         "rope_scaling linear, 3 query heads on one key-value head"),
    Case("llama-dynamic", "language_model", causal("Llama"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", rope_scaling=dict(type="dynamic", factor=4.0)),
         "rope_scaling dynamic, by its old name: nothing changes within max_position_embeddings; float16",
         dtype=torch.float16),
    Case("llama-yarn", "language_model", causal("Llama"),
         llama_sizes(24, 2, 1, 15, hidden_act="silu", tie_word_embeddings=True, rope_theta=30.0, rope_scaling=dict(
             rope_type="yarn", factor=4.0, original_max_position_embeddings=8, beta_fast=4.0, beta_slow=0.5)),
         "rope_scaling yarn, with frequencies that stay, that are stretched, and between; cosines and sines longer"),
    Case("qwen2-yarn", "language_model", causal("Qwen2"),
         llama_sizes(20, 2, 2, 15, hidden_act="silu", rope_theta=30.0, rope_scaling=dict(
             type="yarn", factor=2.0, original_max_position_embeddings=16, mscale=1.2, mscale_all_dim=0.7,
             truncate=False)),
         "rope_scaling yarn with mscale, not truncated"),
    Case("mistral-window", "language_model", causal("Mistral"),
         llama_sizes(15, 4, 2, 13, hidden_act="silu", head_dim=6, sliding_window=3),
         "sliding_window 3: a token sees itself and two before it"),
    Case("qwen2-window", "language_model", causal("Qwen2"),
         llama_sizes(16, 4, 2, 15, hidden_act="silu", tie_word_embeddings=True, use_sliding_window=True,
                     sliding_window=2, max_window_layers=1),
         "a window in the second layer only"),
    Case("pythia", "language_model", causal("GPTNeoX"),
         neox_sizes(24, 3, 17, rotary_pct=0.5, rotary_emb_base=50),
         "attention and feed-forward side by side, half of each head turned, query_key_value by head, embed_out; "
         "float16", dtype=torch.float16),
    Case("pythia-serial", "language_model", causal("GPTNeoX"),
         neox_sizes(18, 3, 13, rotary_pct=1.0, use_parallel_residual=False, attention_bias=False,
                    tie_word_embeddings=True, hidden_act="gelu_new"),
         "feed-forward after attention, no biases in attention, whole heads turned, tied"),
    Case("pythia-scaled", "language_model", causal("GPTNeoX"),
         neox_sizes(40, 5, 11, rotary_pct=0.75, num_hidden_layers=1,
                    rope_scaling=dict(rope_type="linear", factor=3.0)),
         "one layer, five heads, three quarters of each turned, stretched"),
    Case("qwen3", "language_model", causal("Qwen3"),
         llama_sizes(14, 4, 2, 15, hidden_act="silu", head_dim=6, tie_word_embeddings=True, rope_theta=1000.0),
         "norms of queries and keys by head; 4 x 6 = 24 where width is 14; two shards", sharded=True),
    Case("qwen3-biases", "language_model", causal("Qwen3"),
         llama_sizes(12, 3, 1, 18, hidden_act="silu", head_dim=4, attention_bias=True, use_sliding_window=True,
                     sliding_window=3, layer_types=["sliding_attention", "full_attention"]),
         "biases in attention, a window in the first layer by layer_types; bfloat16", dtype=torch.bfloat16),
    Case("gemma2", "language_model", causal("Gemma2"),
         llama_sizes(14, 4, 2, 15, hidden_activation="gelu_pytorch_tanh", head_dim=6, num_hidden_layers=3,
                     sliding_window=3, query_pre_attn_scalar=5, attn_logit_softcapping=2.0,
                     final_logit_softcapping=3.0, pad_token_id=0),
         "caps of scores and logits that matter, windows in the first and third layer, query_pre_attn_scalar"),
    Case("gemma2-uncapped", "language_model", causal("Gemma2"),
         llama_sizes(11, 3, 1, 12, hidden_activation="gelu", head_dim=4, sliding_window=4, query_pre_attn_scalar=4,
                     attn_logit_softcapping=None, final_logit_softcapping=None, pad_token_id=0,
                     tie_word_embeddings=False, layer_types=["full_attention", "sliding_attention"]),
         "no caps, lm_head of its own, layer_types; bfloat16", dtype=torch.bfloat16),
    Case("gemma3", "language_model", causal("Gemma3", "TextConfig"),
         llama_sizes(14, 4, 2, 13, hidden_activation="gelu_pytorch_tanh", head_dim=6, num_hidden_layers=3,
                     sliding_window=3, sliding_window_pattern=3, query_pre_attn_scalar=7, rope_theta=1000.0,
                     rope_local_base_freq=20.0, pad_token_id=0, rope_scaling=dict(rope_type="linear", factor=8.0)),
         "norms of queries and keys, windows in the first two layers, whose base is another, and the third's "
         "positions are stretched"),
    Case("opt-350m", "language_model", causal("OPT"),
         opt_sizes(12, 3, 17, word_embed_proj_dim=7, do_layer_norm_before=False),
         "embeddings of width 7 that are projected to the model's and back, post-norm, tied"),
    Case("smollm3", "language_model", causal("SmolLM3"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", num_hidden_layers=4, no_rope_layer_interval=2, rope_theta=100.0,
                     tie_word_embeddings=True, pad_token_id=0, use_sliding_window=True, sliding_window=3),
         "every second layer has no positions, and a window instead; tied"),
    Case("gemma", "language_model", causal("Gemma"),
         llama_sizes(14, 4, 1, 15, hidden_act="gelu_pytorch_tanh", head_dim=6, pad_token_id=0),
         "norms before sub-layers whose weights are stored less one, embeddings scaled, one key-value head"),
    Case("starcoder2", "language_model", causal("Starcoder2"),
         llama_sizes(16, 4, 2, 19, hidden_act="gelu_pytorch_tanh", sliding_window=4, norm_epsilon=1e-4),
         "layer norms, biases everywhere, feed-forward layers without gates, a window"),
    Case("stablelm", "language_model", causal("StableLm"),
         llama_sizes(24, 3, 3, 14, hidden_act="silu", use_qkv_bias=True, partial_rotary_factor=0.5),
         "layer norms, biases of queries, keys and values, half of each head turned; float16", dtype=torch.float16),
    Case("stablelm-beside", "language_model", causal("StableLm"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", use_parallel_residual=True, partial_rotary_factor=0.5),
         "attention and feed-forward side by side behind one norm"),
    Case("phi", "language_model", causal("Phi"),
         llama_sizes(24, 3, 3, 17, hidden_act="gelu_new", partial_rotary_factor=0.5),
         "side by side behind one norm, biases everywhere, of lm_head too"),
    Case("mistral-layers", "language_model", causal("Ministral"),
         llama_sizes(15, 4, 2, 13, hidden_act="silu", head_dim=6, sliding_window=3,
                     layer_types=["sliding_attention", "full_attention"]),
         "a Mistral with layer_types, which transformers opens as Ministral: the window is the first layer's only",
         rewrite=ministral_as_mistral, loads=False),
    Case("olmo", "language_model", causal("Olmo"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", clip_qkv=0.7, pad_token_id=0),
         "norms without weights, clip_qkv that matters; 4 query heads on 2"),
    Case("olmo-unclipped", "language_model", causal("Olmo"),
         llama_sizes(18, 3, 3, 14, hidden_act="silu", attention_bias=True, tie_word_embeddings=True, pad_token_id=0),
         "biases in attention, tied, no clipping"),
    Case("olmo2", "language_model", causal("Olmo2"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", pad_token_id=0, rms_norm_eps=1e-4),
         "norms of what is added, and of queries and keys over all heads; 4 query heads on 2"),
    Case("olmo3", "language_model", causal("Olmo3"),
         llama_sizes(12, 2, 2, 15, hidden_act="silu", num_hidden_layers=4, sliding_window=3, pad_token_id=0,
                     rope_theta=30.0, rope_scaling=dict(rope_type="yarn", factor=4.0,
                                                        original_max_position_embeddings=8)),
         "a window in three of four layers, whose positions are not stretched"),
    Case("phi3", "language_model", causal("Phi3"),
         llama_sizes(24, 3, 1, 13, hidden_act="silu", pad_token_id=0, partial_rotary_factor=0.75, sliding_window=4,
                     original_max_position_embeddings=16, rope_scaling=dict(
                         type="longrope", short_factor=[1.1, 1.5, 2.0], long_factor=[2.0, 4.0, 8.0])),
         "longrope within its original positions, three quarters of each head turned, qkv_proj and gate_up_proj, "
         "a window; 3 query heads on one"),
    Case("phi3-plain", "language_model", causal("Phi3"),
         llama_sizes(18, 3, 3, 14, hidden_act="silu", pad_token_id=0, tie_word_embeddings=True),
         "as the 4k models: nothing stretched; float16", dtype=torch.float16),
    Case("modernbert-mlm", "masked_lm", modernbert("ForMaskedLM"),
         modernbert_sizes(12, 2, 4, 9, local_attention=4, global_attn_every_n_layers=2, global_rope_theta=500.0,
                          local_rope_theta=20.0),
         "a window in every second layer, two bases; tied"),
    Case("modernbert-biases", "masked_lm", modernbert("ForMaskedLM"),
         modernbert_sizes(18, 3, 3, 7, local_attention=7, local_rope_theta=None, norm_bias=True, attention_bias=True,
                          mlp_bias=True, classifier_bias=True, hidden_activation="silu", classifier_activation="relu",
                          tie_word_embeddings=False),
         "biases everywhere, an odd window, one base, decoder of its own; float16", dtype=torch.float16),
    Case("albert-mlm", "masked_lm", (getattr(transformers, "AlbertConfig", None),
                                     getattr(transformers, "AlbertForMaskedLM", None)),
         encoder_sizes(12, 3, 4, 17, embedding_size=7, num_hidden_groups=2, hidden_act="gelu_new", type_vocab_size=2),
         "four layers with two sets of weights, embeddings of width 7, model 12"),
    Case("modernbert-model", "encoder", modernbert("Model"),
         modernbert_sizes(8, 2, 2, 6, local_attention=2), "no head and no prefix"),
    Case("deberta-v3-mlm", "masked_lm", deberta("ForMaskedLM"),
         deberta_sizes(12, 3, 3, 13, position_buckets=6, share_att_key=True, norm_rel_ebd="layer_norm",
                       position_biased_input=False, pos_att_type=["p2c", "c2p"]),
         "as v3: both terms by the projections of tokens, logarithmic buckets, a norm of their table, no positions in "
         "embeddings; distances beyond the buckets", lengths=(14, 4, 1, 7)),
    Case("deberta-apart", "masked_lm", deberta("ForMaskedLM"),
         deberta_sizes(10, 2, 2, 15, max_relative_positions=5, pos_att_type="c2p|p2c", type_vocab_size=2),
         "projections of their own, no buckets, learnt positions too, types; float16",
         dtype=torch.float16, lengths=(11, 4, 1, 5)),
    Case("deberta-model", "encoder", deberta("Model"),
         deberta_sizes(12, 4, 2, 9, position_buckets=4, share_att_key=True, pos_att_type=["p2c"]),
         "one term only, no norm of the table, no head", lengths=(13, 6, 1, 3)),
    Case("cohere", "language_model", causal("Cohere"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", logit_scale=0.7, rope_theta=100.0, pad_token_id=0),
         "side by side behind one layer norm without biases, neighbouring columns turned, logits scaled, tied"),
    Case("cohere-normed", "language_model", causal("Cohere"),
         llama_sizes(18, 3, 1, 14, hidden_act="silu", logit_scale=1.3, use_qk_norm=True, attention_bias=True,
                     tie_word_embeddings=False, pad_token_id=0),
         "norms of queries and keys by weights of every head's own, biases, lm_head of its own; float16",
         dtype=torch.float16),
    Case("cohere2", "language_model", causal("Cohere2"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", logit_scale=0.9, num_hidden_layers=3, sliding_window=3,
                     layer_types=["sliding_attention", "full_attention", "sliding_attention"], pad_token_id=0),
         "windows in the first and third layer, no positions in the second"),
    Case("granite", "language_model", causal("Granite"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", embedding_multiplier=3.0, logits_scaling=1.7,
                     residual_multiplier=0.4, attention_multiplier=0.3, attention_bias=True, mlp_bias=True,
                     tie_word_embeddings=True),
         "factors of embeddings, scores, sums and logits, biases, tied"),
    Case("granitemoe", "language_model", causal("GraniteMoe"),
         llama_sizes(12, 2, 1, 9, hidden_act="silu", embedding_multiplier=2.0, logits_scaling=0.8,
                     residual_multiplier=0.6, attention_multiplier=0.4, num_local_experts=5, num_experts_per_tok=2),
         "factors, and five experts that lie stacked in one tensor; bfloat16", dtype=torch.bfloat16),
    Case("glm", "language_model", causal("Glm"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", head_dim=6, partial_rotary_factor=0.7, pad_token_id=0),
         "neighbouring columns of a part of each head turned, biases of queries, keys and values, gate_up_proj"),
    Case("glm4", "language_model", causal("Glm4"),
         llama_sizes(18, 3, 1, 14, hidden_act="silu", head_dim=8, partial_rotary_factor=0.5, attention_bias=False,
                     tie_word_embeddings=True, pad_token_id=0),
         "norms of what sub-layers read and add, no biases, tied; float16", dtype=torch.float16),
    Case("mixtral", "language_model", causal("Mixtral"),
         llama_sizes(16, 4, 2, 9, hidden_act="silu", num_local_experts=4, num_experts_per_tok=2, sliding_window=4),
         "four experts of which two are chosen, a window; two shards", sharded=True),
    Case("qwen2-moe", "language_model", causal("Qwen2Moe"),
         llama_sizes(12, 2, 1, 12, hidden_act="silu", num_hidden_layers=3, num_experts=5, num_experts_per_tok=3,
                     moe_intermediate_size=6, shared_expert_intermediate_size=8, mlp_only_layers=[1]),
         "weights that do not sum to 1, a layer beside the experts with a gate of its own, a layer without experts"),
    Case("qwen3-moe", "language_model", causal("Qwen3Moe"),
         llama_sizes(14, 4, 2, 11, hidden_act="silu", head_dim=6, num_experts=6, num_experts_per_tok=2,
                     moe_intermediate_size=7, norm_topk_prob=True, decoder_sparse_step=2, tie_word_embeddings=True),
         "experts in the second layer only, norms of queries and keys by head, tied; float16", dtype=torch.float16),
    Case("olmoe", "language_model", causal("Olmoe"),
         llama_sizes(16, 4, 4, 7, hidden_act="silu", num_experts=6, num_experts_per_tok=3, pad_token_id=0),
         "weights that do not sum to 1, norms of queries and keys over all heads"),
    Case("gpt-oss", "language_model", causal("GptOss"),
         llama_sizes(14, 4, 2, 8, hidden_act="silu", head_dim=6, num_local_experts=4, num_experts_per_tok=2,
                     sliding_window=3, swiglu_limit=0.8, rope_theta=60.0, pad_token_id=0, rope_scaling=dict(
                         rope_type="yarn", factor=4.0, beta_fast=4.0, beta_slow=0.5, truncate=False,
                         original_max_position_embeddings=8)),
         "a learnt score of every head in its softmax, experts with biases and limits that matter, a window in the "
         "first layer; bfloat16", dtype=torch.bfloat16),
    Case("gpt-oss-mxfp4", "language_model", causal("GptOss"),
         llama_sizes(32, 4, 2, 32, hidden_act="silu", head_dim=6, num_local_experts=3, num_experts_per_tok=2,
                     num_hidden_layers=1, sliding_window=128, swiglu_limit=7.0, pad_token_id=0),
         "experts in MXFP4, as it is published (transformers needs a GPU or more packages to open them)",
         rewrite="mxfp4", loads=False),  # in float32: there is no reopened model whose angles are those of float32
    Case("gptj", "language_model", causal("GPTJ"),
         gpt_sizes(18, 3, n_inner=13, rotary_dim=4, activation_function="gelu_new"),
         "side by side behind one norm, neighbouring columns of a part of each head turned, a bias of the output"),
    Case("codegen", "language_model", causal("CodeGen"),
         gpt_sizes(24, 4, n_inner=14, rotary_dim=6, activation_function="gelu_new"),
         "queries, values and keys in one tensor, divided among four cores; float16", dtype=torch.float16),
    Case("gpt-neo", "language_model", causal("GPTNeo"),
         dict(vocab_size=37, hidden_size=12, num_layers=3, num_heads=3, intermediate_size=17, window_size=3,
              max_position_embeddings=20, attention_types=[[["global", "local"], 1], [["local"], 1]], bos_token_id=1,
              eos_token_id=2),
         "scores that are not scaled, windows in the second and third layer", scale={"attn": 0.6}),
    Case("gpt-bigcode", "language_model", causal("GPTBigCode"),
         gpt_sizes(15, 3, n_inner=16, activation_function="gelu_pytorch_tanh"),
         "one key and one value for all heads; two shards", sharded=True),
    Case("gpt-bigcode-heads", "language_model", causal("GPTBigCode"),
         gpt_sizes(12, 4, n_inner=13, activation_function="relu", multi_query=False, tie_word_embeddings=False),
         "every head has its own key and value, one head after the other in one tensor; float16", dtype=torch.float16),
    Case("bloom", "language_model", causal("Bloom"),
         dict(vocab_size=37, hidden_size=12, n_layer=2, n_head=3, bos_token_id=1, eos_token_id=2, pad_token_id=0,
              seq_length=24),
         "ALiBi with three heads, a norm of embeddings, query_key_value by head"),
    Case("mpt", "language_model", causal("Mpt"),
         dict(vocab_size=37, d_model=12, n_layers=2, n_heads=3, max_seq_len=24, bos_token_id=1, eos_token_id=2,
              attn_config=dict(clip_qkv=1.5, softmax_scale=0.7)),
         "ALiBi with three heads of the four that there are slopes for, norms without biases, clip_qkv that matters"),
    Case("falcon", "language_model", causal("Falcon"),
         falcon_sizes(18, 3, ffn_hidden_size=14),
         "as 7B: side by side behind one norm, one key and one value for all heads; bfloat16", dtype=torch.bfloat16),
    Case("falcon-groups", "language_model", causal("Falcon"),
         falcon_sizes(16, 4, new_decoder_architecture=True, num_kv_heads=2, bias=True, tie_word_embeddings=False),
         "as 40B: two norms, two heads share a key and a value, group by group; biases, lm_head of its own"),
    Case("falcon-serial", "language_model", causal("Falcon"),
         falcon_sizes(12, 3, parallel_attn=False, multi_query=False, activation="relu"),
         "feed-forward after attention, every head with its own key and value; float16", dtype=torch.float16),
    Case("xglm", "language_model", causal("XGLM"),
         dict(vocab_size=37, d_model=14, num_layers=2, attention_heads=7, ffn_dim=15, activation_function="gelu",
              max_position_embeddings=24, bos_token_id=0, eos_token_id=2, pad_token_id=1),
         "computed positions after two rows, scaled embeddings, seven heads"),
    Case("nemotron", "language_model", causal("Nemotron"),
         llama_sizes(16, 4, 2, 13, hidden_act="relu2", partial_rotary_factor=0.5, norm_eps=1e-4),
         "layer norms whose weights are stored less one, squares of ReLU, half of each head turned"),
    Case("arcee", "language_model", causal("Arcee"),
         llama_sizes(16, 4, 2, 14, hidden_act="relu2", mlp_bias=True),
         "squares of ReLU, biases in feed-forward layers; float16", dtype=torch.float16),
    Case("ernie4-5", "language_model", causal("Ernie4_5"),
         llama_sizes(14, 4, 2, 13, hidden_act="silu", head_dim=6, use_bias=True, rope_theta=200.0, pad_token_id=0),
         "neighbouring columns turned, biases everywhere, tied"),
    Case("exaone4", "language_model", causal("Exaone4"),
         llama_sizes(16, 4, 2, 13, hidden_act="silu", num_hidden_layers=3, sliding_window=3, sliding_window_pattern=2,
                     pad_token_id=0),
         "norms of what is added and of queries and keys, no positions in the second layer, windows in the others"),
    Case("seed-oss", "language_model", causal("SeedOss"),
         llama_sizes(14, 4, 2, 13, hidden_act="silu", head_dim=6, attention_out_bias=True, pad_token_id=0),
         "biases of queries, keys and values, and of the output; bfloat16", dtype=torch.bfloat16),
    Case("helium", "language_model", causal("Helium"),
         llama_sizes(12, 2, 1, 13, hidden_act="silu", head_dim=6, mlp_bias=True, pad_token_id=0),
         "neighbouring columns turned, biases in feed-forward layers"),
]
NEW_FROM = [case.name for case in CASES].index("llama-linear")


def gain(name, parameter, case):
    """Standard deviation of a weight: attention far from uniform, logits of a few units, rounding small."""
    t5 = "T5" in case.classes[1].__name__
    scale = math.prod(value for part, value in case.scale.items() if part in name)
    if any(part in name for part in ("relative_attention_bias", "embed_positions", "wpe")):
        return 1.0
    if any(part in name for part in ("embed", "shared", "wte", "lm_head", "predictions.decoder")):
        if t5:
            return 1.2 if parameter.shape[0] == case.config["vocab_size"] and "lm_head" not in name else 0.6
        return 0.55
    rows_in = parameter.shape[0 if "gpt2" in case.name and parameter.shape[0] != case.config["vocab_size"] else -1]
    std = 1.7 / rows_in ** 0.5
    if t5 and name.endswith((".q.weight", ".k.weight")):
        std *= case.config["d_kv"] ** -0.25
    return std * scale


def make_model(case, seed):
    config_class, model_class = case.classes
    torch.manual_seed(seed)
    model = with_limits(model_class._from_config(config_class(**case.config), attn_implementation="eager").eval())
    for name, parameter in model.named_parameters():
        if not parameter.requires_grad:
            continue  # computed positions
        noise = torch.randn(parameter.shape)
        norm = (parameter.dim() == 1 or "_norm." in name) and name.endswith("weight")
        one = 0 if "Gemma" in model_class.__name__ else 1  # its weights are less one
        parameter.data = (one + 0.2 * noise if norm else 0.2 * noise if parameter.dim() == 1
                          else gain(name, parameter, case) * noise)
    if model.can_generate():  # so that some searches end by themselves
        model.get_output_embeddings().weight.data[case.generation.get("eos_token_id", model.config.eos_token_id)] *= 1.8
    if "final_logits_bias" in dict(model.named_buffers()):
        model.final_logits_bias = 0.4 * torch.randn(model.final_logits_bias.shape)
    if case.prune == "t5":
        for (kind, layer), module in attentions(model):
            module.prune_heads(set(T5_PRUNED[kind].get(layer, ())))
    elif case.prune:
        model.prune_heads(case.prune)
    if model.can_generate():
        # Always complete: what generate() does is then in one file.
        special = {key: getattr(model.config, key) for key in
                   ("bos_token_id", "eos_token_id", "pad_token_id", "decoder_start_token_id")
                   if getattr(model.config, key, None) is not None}
        model.generation_config = GenerationConfig(
            **{**special, "max_length": MAX_LENGTH, "num_beams": 4, **case.generation})
    if case.rewrite == "marian":
        as_marian(case, model)
    if case.rewrite == "mxfp4":
        for name, blocks, scales in packed_experts(model):
            model.get_parameter(name).data = widened(blocks, scales)
    for tensor in model.state_dict().values():  # without buffers that no file holds
        tensor.copy_(tensor.to(case.dtype))  # what a file of this type can hold
    return model


FP4 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


def packed_experts(model):
    """The nearest numbers of MXFP4 (OCP Microscaling Formats): names, blocks [E, rows, groups, 16] and scales."""
    for name, parameter in model.named_parameters():
        if not name.endswith(("experts.gate_up_proj", "experts.down_proj")):
            continue
        groups = parameter.data.transpose(1, 2).unflatten(-1, (-1, 32))  # [E, rows, groups, 32]
        exponents = groups.abs().amax(-1, keepdim=True).clamp_min(1e-20).log2().floor() - 2
        codes = (groups / exponents.exp2()).unsqueeze(-1).sub(FP4).abs().argmin(-1)
        blocks = (codes[..., 0::2] | codes[..., 1::2] << 4).to(torch.uint8)
        yield name, blocks, (exponents.squeeze(-1) + 127).to(torch.uint8)


def widened(blocks, scales):
    codes = torch.stack([blocks & 15, blocks >> 4], -1).flatten(-2).long()
    return (FP4[codes] * (scales.float() - 127).exp2().unsqueeze(-1)).flatten(-2).transpose(1, 2).contiguous()


def with_limits(model):
    """4.57.1 has gpt-oss's limit in its class, transformers 5 in config.json."""
    for module in model.modules():
        if type(module).__name__ == "GptOssExperts":
            module.limit = model.config.swiglu_limit
    return model


def no_tokens(case):
    """Of a model of Marian's, ids that stand for nothing: padding, and what the target's vocabulary lacks."""
    return list(range(31 if case.name == "marian-nmt-apart" else 36, 37)) if case.rewrite == "marian" else []


def as_marian(case, model):
    """Marian's positions and epsilon; zeros for what is no token."""
    width = model.config.d_model
    steps = torch.exp(torch.arange(width // 2) * -(torch.log(torch.tensor(10000.0)) / (width / 2 - 1)))
    for side in (model.base_model.encoder, model.base_model.decoder):
        table = side.embed_positions.weight
        offset = getattr(side.embed_positions, "offset", 0)
        angles = torch.arange(table.shape[0] - offset)[:, None] * steps
        table.data[offset:] = torch.cat([angles.sin(), angles.cos()], 1)
    for module in model.modules():
        if isinstance(module, torch.nn.LayerNorm):
            module.eps = 1e-9
    model.base_model.encoder.embed_tokens.weight.data[36] = 0
    for tensor in (model.base_model.decoder.embed_tokens.weight.data, model.lm_head.weight.data,
                   model.final_logits_bias[0]):
        tensor[no_tokens(case)] = 0


@contextlib.contextmanager
def tokens_only(case, model):
    """What is no token has no probability."""
    if no_tokens(case):
        model.final_logits_bias[0, no_tokens(case)] = -1e30
    yield
    if no_tokens(case):
        model.final_logits_bias[0, no_tokens(case)] = 0


# --- Attention modules and heads --------------------------------------------------------------------------------------

def attentions(model):
    """((kind, layer), attention module) in the order of layers."""
    found = []
    base = model.base_model
    if base is model and hasattr(model, "model"):  # Gemma 3, whose base has another name when it sees pictures
        base = model.model
    if hasattr(model, "encoder") and hasattr(model, "decoder") and hasattr(model.encoder, "block"):  # T5
        found += [(("encoder", i), block.layer[0].SelfAttention) for i, block in enumerate(model.encoder.block)]
        for i, block in enumerate(model.decoder.block):
            found += [(("decoder", i), block.layer[0].SelfAttention), (("cross", i), block.layer[1].EncDecAttention)]
    elif hasattr(base, "decoder") and not hasattr(base, "encoder"):  # OPT
        found += [(("decoder", i), layer.self_attn) for i, layer in enumerate(base.decoder.layers)]
    elif hasattr(base, "decoder"):  # BART and relatives
        found += [(("encoder", i), layer.self_attn) for i, layer in enumerate(base.encoder.layers)]
        for i, layer in enumerate(base.decoder.layers):
            found += [(("decoder", i), layer.self_attn), (("cross", i), layer.encoder_attn)]
    elif hasattr(base, "h"):  # GPT-2 and relatives, BLOOM, Falcon
        found += [(("decoder", i), first(layer, "attn", "self_attention")) for i, layer in enumerate(base.h)]
        found = [(where, getattr(attention, "attention", attention)) for where, attention in found]  # GPT-Neo's is inside
    elif hasattr(base, "blocks"):  # MPT
        found += [(("decoder", i), layer.attn) for i, layer in enumerate(base.blocks)]
    elif "Albert" in type(model).__name__:
        groups = base.encoder.albert_layer_groups
        layers = model.config.num_hidden_layers
        found += [(("encoder", i), groups[i * len(groups) // layers].albert_layers[0].attention)
                  for i in range(layers)]
    elif "ModernBert" in type(model).__name__:
        found += [(("encoder", i), layer.attn) for i, layer in enumerate(base.layers)]
    elif hasattr(base, "layers"):  # Llama and relatives
        found += [(("decoder", i), first(layer, "self_attn", "attention")) for i, layer in enumerate(base.layers)]
    elif hasattr(base, "transformer"):  # DistilBERT
        found += [(("encoder", i), layer.attention) for i, layer in enumerate(base.transformer.layer)]
    else:
        found += [(("encoder", i), layer.attention) for i, layer in enumerate(base.encoder.layer)]
    return found


def output_projection(module):
    for name in ("o", "out_proj", "c_proj", "o_proj", "out_lin", "dense", "Wo"):
        if hasattr(module, name):
            return getattr(module, name)
    return module.output.dense


def first(owner, *names):
    for name in names:
        if hasattr(owner, name):
            return getattr(owner, name)
    raise AttributeError(names)


def stacks_of(model):
    stacks = {}
    for (kind, layer), module in attentions(model):
        inner = getattr(module, "self", module)
        width = first(inner, "key_value_proj_dim", "head_dim", "attention_head_size", "head_size")\
            if not hasattr(inner, "q_lin") else inner.dim // inner.n_heads
        here = output_projection(module)
        columns = here.weight.shape[0] if type(here).__name__ == "Conv1D" else here.weight.shape[1]
        gone = getattr(module, "pruned_heads", set())
        heads = [head for head in range(columns // width + len(gone)) if head not in gone]
        stack = stacks.setdefault(kind, {"heads": [], "head_width": width})
        stack["heads"].append(heads)
        if hasattr(inner, "num_key_value_heads") or hasattr(inner, "num_key_value_groups"):
            stack["key_value_heads"] = model.config.num_key_value_heads
        if hasattr(inner, "num_kv_heads"):  # Falcon
            stack["key_value_heads"] = inner.num_kv_heads
    return stacks


@contextlib.contextmanager
def without(model, stacks, masked):
    """Zeroes what some heads give to their layer's output projection."""
    handles = []
    uses = {}  # of a module by several layers, in their order
    for (kind, layer), module in attentions(model):
        stack = stacks[kind]
        places = [stack["heads"][layer].index(head) for k, l, head in masked if (k, l) == (kind, layer)]
        uses.setdefault(id(module), (module, stack["head_width"], []))[2].append(places)
    for module, width, places in uses.values():
        if not any(places):
            continue

        def hook(_, inputs, places=places, width=width, calls=itertools.count()):
            changed = inputs[0].clone()
            for place in places[next(calls) % len(places)]:
                changed[..., place * width:(place + 1) * width] = 0
            return (changed, *inputs[1:])
        handles.append(output_projection(module).register_forward_pre_hook(hook))
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def masks_for(stacks, seed):
    """Of every kind its last layer's first head; half of all heads by chance; the first layer of every kind."""
    everything = [[kind, layer, head] for kind, stack in stacks.items() for layer, heads in enumerate(stack["heads"])
                  for head in heads]
    generator = torch.Generator().manual_seed(seed + 2)
    chosen = torch.randperm(len(everything), generator=generator)[:(len(everything) + 1) // 2].tolist()
    single = [[[kind, len(stack["heads"]) - 1, stack["heads"][-1][0]]] for kind, stack in stacks.items()]
    return single + [[everything[i] for i in sorted(chosen)], [entry for entry in everything if entry[1] == 0]]


def head_mask_arguments(case, stacks, masked):
    """The same as arguments of forward(), or None where the family has none or they cannot say it. (ALBERT gives all
    layers of a group the mask of its first.)"""
    if case.prune or "ModernBert" in case.classes[1].__name__ or "Albert" in case.classes[1].__name__ or "Deberta" in case.classes[1].__name__ or case.kind == "language_model" and "GPT2" not in case.classes[1].__name__:
        return None
    names = {"encoder": "head_mask", "decoder": "decoder_head_mask", "cross": "cross_attn_head_mask"}
    arguments = {}
    for kind, stack in stacks.items():
        name = names[kind] if case.kind == "translation" else "head_mask"
        arguments[name] = torch.ones(len(stack["heads"]), len(stack["heads"][0]))
        for k, layer, head in masked:
            if k == kind:
                arguments[name][layer, head] = 0
    return arguments


# --- Inputs -----------------------------------------------------------------------------------------------------------

def make_rows(case, model, seed):
    torch.manual_seed(seed + 1)
    config = model.config
    if case.kind == "translation":
        decoder_lengths = (5, 2, 6, 1)
        high = config.vocab_size - 5  # the last are languages
    rows = []
    for i, length in enumerate(case.lengths):
        low = 6 if case.kind != "language_model" else 3
        ids = torch.randint(low, config.vocab_size - 5, (length,)).tolist()
        if case.kind == "translation":
            end = config.eos_token_id
            ids = ids[:-1] + [end] if length > 1 else ids
            more = torch.randint(low, high, (decoder_lengths[i] - 1,)).tolist()
            rows.append({"input_ids": ids, "decoder_input_ids": [config.decoder_start_token_id] + more})
            continue
        row = {"input_ids": ids}
        if "roberta" in case.name and i == 0:
            ids[2] = config.pad_token_id
        if getattr(config, "type_vocab_size", 0) == 2 and i % 2 == 0:
            row["token_type_ids"] = [int(t > length // 3) for t in range(length)]
        rows.append(row)
    return rows


def padding_of(model):
    return model.config.pad_token_id if model.config.pad_token_id is not None else 0


def padded(case, model, rows):
    def fill(values, rest):
        longest = max(len(v) for v in values)
        return torch.tensor([list(v) + [rest] * (longest - len(v)) for v in values])
    batch = {"input_ids": fill([row["input_ids"] for row in rows], padding_of(model)),
             "attention_mask": fill([[1] * len(row["input_ids"]) for row in rows], 0)}
    if case.kind == "translation":
        batch["decoder_input_ids"] = fill([row["decoder_input_ids"] for row in rows], padding_of(model))
    if any("token_type_ids" in row for row in rows):
        batch["token_type_ids"] = fill([row.get("token_type_ids", [0] * len(row["input_ids"])) for row in rows], 0)
    return batch


def result(output):
    return output.logits if hasattr(output, "logits") else output.last_hidden_state


def attention_of(case, output):
    if case.kind == "translation":
        return {"encoder": output.encoder_attentions, "decoder": output.decoder_attentions,
                "cross": output.cross_attentions}
    return {"decoder" if case.kind == "language_model" else "encoder": output.attentions}


# --- What is computed -------------------------------------------------------------------------------------------------

def largest(a, b):
    return (a.double() - b.double()).abs().max().item() if a.numel() else 0.0


def digits(tensor):
    return [float(f"{value:.9g}") for value in tensor.flatten().tolist()]


def decoder_length(case, row):
    return len(row["decoder_input_ids" if case.kind == "translation" else "input_ids"])


def evaluate(case, model, stacks, rows, seed):
    batch = padded(case, model, rows)
    extra = dict(use_cache=False) if case.kind in ("translation", "language_model") else {}
    output = model(**batch, **extra, output_attentions=True)
    torch.set_default_dtype(torch.float64)  # BART's masks are made in it
    exact = model.double()(**batch, **extra, output_attentions=True)
    torch.set_default_dtype(torch.float32)
    model.float()
    noise = {"logits": 0.0, "attention": 0.0}
    for i, row in enumerate(rows):
        queries, keys = decoder_length(case, row), len(row["input_ids"])
        logits = result(output)[i, :queries]
        noise["logits"] = max(noise["logits"], largest(logits, result(exact)[i, :queries]))
        alone = result(model(**padded(case, model, [row]), **extra))[0]
        assert largest(alone, logits) < 1e-4, (case.name, "alone", largest(alone, logits))
        row["logits"] = [digits(position) for position in logits]
        row["attention"] = {}
        for kind, layers in attention_of(case, output).items():
            q = keys if kind == "encoder" else queries
            k = keys if kind != "decoder" else queries
            row["attention"][kind] = [[digits(layer[i, head, :q, :k]) for head in range(layer.shape[1])]
                                      for layer in layers]
            for a, b in zip(layers, attention_of(case, exact)[kind]):
                noise["attention"] = max(noise["attention"], largest(a[i, :, :q, :k], b[i, :, :q, :k]))
    masks = []
    for masked in masks_for(stacks, seed):
        with without(model, stacks, masked):
            found = result(model(**batch, **extra))
        arguments = head_mask_arguments(case, stacks, masked)
        if arguments is not None:
            same = result(model(**batch, **extra, **arguments))
            for i, row in enumerate(rows):
                valid = slice(decoder_length(case, row))
                assert largest(same[i, valid], found[i, valid]) < 1e-4, case.name
        masks.append({"heads": masked,
                      "logits": [digits(found[i, decoder_length(case, row) - 1]) for i, row in enumerate(rows)]})
    return masks, noise


class Watch(LogitsProcessor):
    """Sees, last of all processors, the scores that beam or greedy search chooses by."""

    def __init__(self, beams):
        self.beams = beams
        self.sums = {}
        self.margin = math.inf

    def __call__(self, ids, scores):
        if self.beams == 1:
            best = scores.double().topk(2, dim=-1).values
            finite = best[:, 1] > -1e8
            if finite.any() and ids.shape[0] == 1:
                self.margin = min(self.margin, (best[:, 0] - best[:, 1])[finite].min().item())
            return scores
        candidates, seen = [], set()
        for prefix, row in zip(map(tuple, ids.tolist()), scores.double().tolist()):
            if prefix in seen:
                continue  # in the first step all beams are the same
            seen.add(prefix)
            before = self.sums.get(prefix, 0.0)
            for token, score in enumerate(row):
                if score > -1e8:
                    self.sums[prefix + (token,)] = before + score
                    candidates.append(before + score)
        candidates.sort(reverse=True)
        best = candidates[:2 * self.beams + 1]
        self.margin = min([self.margin, *(a - b for a, b in zip(best, best[1:]))])
        return scores


@contextlib.contextmanager
def rule_of_4_27():
    """Lengths of all tokens, whatever was given of them."""
    add, is_done = BeamHypotheses.add, BeamHypotheses.is_done
    BeamHypotheses.add = lambda self, hyp, total, beam_indices=None, generated_len=None: add(
        self, hyp, total, beam_indices)
    BeamHypotheses.is_done = lambda self, best, length, decoder_prompt_len=0: is_done(self, best, length)
    try:
        yield
    finally:
        BeamHypotheses.add, BeamHypotheses.is_done = add, is_done


def cut(tokens, prompt_length, ends):
    for i in range(prompt_length, len(tokens)):
        if tokens[i] in ends:
            return tokens[:i + 1], True
    return tokens, False


def ids_of_end(model):
    ends = model.generation_config.eos_token_id
    return ends if isinstance(ends, list) else [ends]


def generate(case, model, row, beams, **more):
    """One input at a time. Returns the raw answer and the watch."""
    watch = Watch(beams)
    inputs = {"input_ids": torch.tensor([row]), "attention_mask": torch.ones(1, len(row), dtype=torch.int64)}
    settings = dict(num_beams=beams, do_sample=False, return_dict_in_generate=True, output_scores=True, **case.call)
    if beams == 1:
        settings.update(early_stopping=False, length_penalty=1.0)
    output = model.generate(**inputs, **settings, **more, logits_processor=LogitsProcessorList([watch]))
    return output, watch


def beams(case, model, row, start, ends):
    """The best of four beams, and the margin of the decisions on the way."""
    output, watch = generate(case, model, row, 4, num_return_sequences=4)
    scores = output.sequences_scores.tolist()
    margin = min([watch.margin, *(a - b for a, b in zip(scores, scores[1:]) if b > -1e8)])
    tokens, ended = cut(output.sequences[0].tolist(), start, ends)
    return {"tokens": tokens, "ended": ended, "score": scores[0]}, margin


def search(case, model, inputs):
    """None as soon as something is too close."""
    ends = ids_of_end(model)
    greedy, beam = [], []
    for row in inputs:
        start = 1 if case.kind == "translation" else len(row)
        output, watch = generate(case, model, row, 1)
        tokens, ended = cut(output.sequences[0].tolist(), start, ends)
        greedy.append({"tokens": tokens, "ended": ended, "margin": watch.margin})
        if watch.margin < MARGIN:
            return None
        if isinstance(model.config, M2M100Config) and model.config.pad_token_id in tokens:
            return None  # see below
    for row in inputs:
        start = 1 if case.kind == "translation" else len(row)
        entry, margin = beams(case, model, row, start, ends)
        if IS_NEW:
            beam.append({**entry, "margin": margin})
            if margin < MARGIN:
                return None
            continue
        with rule_of_4_27():
            old, old_margin = beams(case, model, row, start, ends)
        if case.kind == "translation" and old["tokens"] != entry["tokens"] or min(margin, old_margin) < MARGIN:
            return None
        if isinstance(model.config, M2M100Config) and model.config.pad_token_id in entry["tokens"]:
            return None  # 4.44 computes such a token without a position, by itself and not in a longer prefix
        beam.append({**entry, "margin": margin, "tokens_4_27": old["tokens"], "score_4_27": old["score"]})
    return (greedy, beam) if good_beams(greedy, beam) else None


def some_end(entries):
    """Some translations end by themselves, some are cut."""
    early = [len(entry["tokens"]) < MAX_LENGTH for entry in entries]
    return any(early) and not all(early)


def good_beams(greedy, beam):
    """Beams matter, and tokens vary."""
    return (some_end(greedy + beam) and any(len(entry["tokens"]) < MAX_LENGTH for entry in beam)
            and any(a["tokens"] != b["tokens"] for a, b in zip(greedy, beam))
            and sum(len(set(entry["tokens"])) > 3 for entry in beam) >= 2)


def check_batch(case, model, inputs, beam, greedy):
    """generate() over all rows in one padded batch says the same (translation)."""
    rest = padding_of(model)
    longest = max(map(len, inputs))
    batch = dict(input_ids=torch.tensor([row + [rest] * (longest - len(row)) for row in inputs]),
                 attention_mask=torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in inputs]))
    for beams, entries in ((1, greedy), (4, beam)):
        settings = dict(early_stopping=False, length_penalty=1.0) if beams == 1 else {}
        output = model.generate(**batch, num_beams=beams, do_sample=False, **settings, **case.call)
        for found, entry in zip(output.tolist(), entries):
            assert cut(found, 1, ids_of_end(model))[0] == entry["tokens"], case.name


# --- Writing ----------------------------------------------------------------------------------------------------------

def save(case, model, folder):
    model.to(case.dtype).config.torch_dtype = case.dtype
    model.save_pretrained(folder, safe_serialization=True, max_shard_size="12KB" if case.sharded else "1GB")
    model.to(torch.float32)
    if case.rewrite == "gpt2-hub":
        from safetensors.torch import load_file, save_file
        state = {name.removeprefix("transformer."): tensor
                 for name, tensor in load_file(folder / "model.safetensors").items() if name != "lm_head.weight"}
        positions = model.config.n_positions
        for layer in range(model.config.n_layer):
            state[f"h.{layer}.attn.bias"] = torch.ones(positions, positions).tril().view(1, 1, positions, positions)
        save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    elif case.rewrite == "marian":
        to_marian(case, model, folder)
    elif case.rewrite == "mxfp4":
        from safetensors.torch import load_file, save_file
        state = load_file(folder / "model.safetensors")
        for name, blocks, scales in packed_experts(model):
            assert torch.equal(widened(blocks, scales), state.pop(name).float()), name
            state[f"{name}_blocks"], state[f"{name}_scales"] = blocks.contiguous(), scales.contiguous()
        save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
        path = folder / "config.json"
        config = json.loads(path.read_text())
        config["quantization_config"] = {"quant_method": "mxfp4", "modules_to_not_convert": [
            "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]}
        path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")
    elif isinstance(case.rewrite, str):
        to_fairseq(case, folder)
    elif case.rewrite:
        path = folder / "config.json"
        config = json.loads(path.read_text())
        case.rewrite(config)
        path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def to_fairseq(case, folder):
    """fairseq's names are FSMT's without "model."; a folder as it is published takes the place of the one that is there."""
    from safetensors.torch import load_file
    config = json.loads((folder / "config.json").read_text())
    state = {name.removeprefix("model."): tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    for name in list(state):
        if name.startswith("shared.") or name == "lm_head.weight":
            state["encoder.embed_tokens.weight"] = state.pop(name)
    shared = config["tie_word_embeddings"]
    embedding = state.get("decoder.embed_tokens.weight", state.get("decoder.output_projection.weight"))
    if shared:
        embedding = state.get("encoder.embed_tokens.weight", embedding)
        state["encoder.embed_tokens.weight"] = embedding
    state["decoder.embed_tokens.weight"] = state["decoder.output_projection.weight"] = embedding
    for side in ("encoder", "decoder"):
        state[f"{side}.version"] = torch.tensor([3.0])
        state[f"{side}.embed_positions._float_tensor"] = torch.zeros(1)
        state.pop(f"{side}.embed_positions.weight", None)
    for name in [name for name in state if ".q_proj." in name]:
        parts = [state.pop(name.replace("q_proj", part)) for part in ("q_proj", "k_proj", "v_proj")]
        state[name.replace("q_proj.", "in_proj_")] = torch.cat(parts)
    arguments = argparse.Namespace(
        arch="transformer_wmt_en_de", source_lang="en", target_lang="de", dropout=0.1, share_all_embeddings=shared,
        share_decoder_input_output_embed=not shared, encoder_embed_dim=config["d_model"],
        decoder_embed_dim=config["d_model"], decoder_output_dim=config["d_model"], adaptive_softmax_cutoff=None,
        no_scale_embedding=not config["scale_embedding"], activation_fn=config["activation_function"],
        max_source_positions=config["max_position_embeddings"], max_target_positions=config["max_position_embeddings"],
        encoder_normalize_before=False, decoder_normalize_before=False, encoder_learned_pos=False,
        decoder_learned_pos=False,
        **{f"{side}_{own}": config[f"{side}_{other}"] for side in ("encoder", "decoder") for own, other in
           (("layers", "layers"), ("attention_heads", "attention_heads"), ("ffn_embed_dim", "ffn_dim"))})
    torch.save({"args": arguments, "model": collections.OrderedDict(state), "optimizer_history": [{"num_updates": 5}],
                "extra_state": {"epoch": 2, "best": 4.25}}, folder / "model.pt")
    for language, rows in (("en", config.get("src_vocab_size", 37)), ("de", config.get("tgt_vocab_size", 37))):
        text = "".join(f"piece{number} {100 - number}\n" for number in range(rows - 4))
        (folder / f"dict.{language}.txt").write_text(text)
    (folder / "config.json").unlink()
    (folder / "model.safetensors").unlink()


def to_marian(case, model, folder):
    """A folder as Marian writes it takes the place of the one that is there: matrices as [in, out], vectors as rows, and
    no rows for what is no token."""
    import numpy
    config = model.config
    before = isinstance(model, MBartForConditionalGeneration)
    apart = case.name == "marian-nmt-apart"
    norm = "_pre" if before else ""
    arrays = {}

    def linear(own, name, module):
        arrays[own.replace("?", f"W{name}")] = module.weight.T
        arrays[own.replace("?", f"b{name}")] = module.bias[None]

    def layer_norm(own, module):
        arrays[own.replace("?", "scale")] = module.weight[None]
        arrays[own.replace("?", "bias")] = module.bias[None]

    for side, stack in (("encoder", model.base_model.encoder), ("decoder", model.base_model.decoder)):
        for number, layer in enumerate(stack.layers, 1):
            attentions = [("self", layer.self_attn, layer.self_attn_layer_norm)]
            if side == "decoder":
                attentions.append(("context", layer.encoder_attn, layer.encoder_attn_layer_norm))
            for kind, attention, its_norm in attentions:
                for part in "qkv":
                    linear(f"{side}_l{number}_{kind}_?", part, getattr(attention, f"{part}_proj"))
                linear(f"{side}_l{number}_{kind}_?", "o", attention.out_proj)
                layer_norm(f"{side}_l{number}_{kind}_Wo_ln_?{norm}", its_norm)
            linear(f"{side}_l{number}_ffn_?", "1", layer.fc1)
            linear(f"{side}_l{number}_ffn_?", "2", layer.fc2)
            layer_norm(f"{side}_l{number}_ffn_ffn_ln_?{norm}", layer.final_layer_norm)
        if before:
            layer_norm(f"{side}_emb_ln_?_pre", stack.layernorm_embedding)
            layer_norm(f"{side}_top_ln_?", stack.layer_norm)
    source, target = model.base_model.encoder.embed_tokens.weight, model.base_model.decoder.embed_tokens.weight
    tokens = no_tokens(case)[0]
    if apart:
        arrays.update(encoder_Wemb=source[:36], decoder_Wemb=target[:tokens])
    else:
        arrays["Wemb"] = source[:36]
    if before:
        arrays["decoder_ff_logit_out_W"] = model.lm_head.weight[:tokens].T
    arrays["decoder_ff_logit_out_b"] = model.final_logits_bias[:, :tokens]
    options = f"""\
dec-depth: {config.decoder_layers}
dim-emb: {config.d_model}
dim-vocabs:
  - 36
  - {tokens}
enc-depth: {config.encoder_layers}
skip: false
tied-embeddings: {str(apart).lower()}
tied-embeddings-all: {str(not apart and not before).lower()}
tied-embeddings-src: {str(before).lower()}
transformer-decoder-autoreg: self-attention
transformer-decoder-dim-ffn: {config.decoder_ffn_dim}
transformer-dim-ffn: {config.encoder_ffn_dim}
transformer-ffn-activation: {config.activation_function}
transformer-ffn-depth: 2
transformer-guided-alignment-layer: last
transformer-heads: {config.encoder_attention_heads}
transformer-no-projection: false
transformer-postprocess: {"da" if before else "dan"}
transformer-postprocess-emb: {"nd" if before else "d"}
transformer-postprocess-top: {'n' if before else '""'}
transformer-preprocess: {'n' if before else '""'}
transformer-tied-layers:
  []
transformer-train-position-embeddings: false
type: transformer
ulr: false
version: v1.9.0 ba91b39 2020-06-15 11:26:04 -0700"""
    arrays = {name: array.detach().numpy() for name, array in arrays.items()}
    arrays["special:model.yml"] = numpy.frombuffer(options.encode() + b"\0", dtype=numpy.int8)
    (numpy.savez_compressed if apart else numpy.savez)(folder / "model.npz", **arrays)
    (folder / "decoder.yml").write_text("relative-paths: true\nmodels:\n  - model.npz\nbeam-size: 4\nnormalize: 1\n"
                                        "word-penalty: 0\n")
    (folder / "config.json").unlink()
    (folder / "model.safetensors").unlink()


def reopened(case, folder, model):
    if not case.loads:
        return model
    # 4.44 would put the file's tensors in the place of parameters, which unties those that have two names.
    transformers.modeling_utils.check_support_param_buffer_assignment = lambda *_, **__: False
    loaded, info = case.classes[1].from_pretrained(folder, attn_implementation="eager", torch_dtype=torch.float32,
                                                   output_loading_info=True)
    assert not any(info.values()), (case.name, info)
    for (name, a), (_, b) in zip(model.state_dict().items(), loaded.state_dict().items()):
        assert torch.equal(a, b), (case.name, name)
    return with_limits(loaded.eval())


def make(case, folder):
    """The first seed from the name's checksum on for which search is as wanted."""
    first_seed = seed = zlib.crc32(case.name.encode())
    generation = None
    skipped = 0
    while True:
        model = make_model(case, seed)
        stacks = stacks_of(model)
        rows = make_rows(case, model, seed)
        if case.kind not in ("translation", "language_model"):
            break
        inputs = [row["input_ids"] for row in rows]
        if case.kind == "language_model":
            inputs = [row[:length] for row, length in zip(inputs, (5, 3, 1, 2))]
        with tokens_only(case, model):
            found = search(case, model, inputs)
        if found:
            skipped += 1
            if skipped > case.skip:
                break
        seed += 10
        assert seed < first_seed + 20000, case.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    save(case, model, folder)
    model = reopened(case, folder, model)
    if case.kind in ("translation", "language_model"):
        with tokens_only(case, model):
            greedy, beam = search(case, model, inputs)
            if case.kind == "translation":
                check_batch(case, model, inputs, beam, greedy)
        settings = {key: value for key, value in model.generation_config.to_diff_dict().items()
                    if key not in ("transformers_version", "_from_model_config", "attn_implementation")}
        generation = {"settings": settings, "call": case.call}
        if case.kind == "language_model":
            generation["prompts"] = inputs
        for entry in greedy + beam:
            for key in ("margin", "score", "score_4_27"):
                if key in entry:
                    entry[key] = float(f"{entry[key]:.9g}") if math.isfinite(entry[key]) else None
        generation.update(greedy=greedy, beam=beam)
    masks, noise = evaluate(case, model, stacks, rows, seed)
    own = (folder / "config.json").exists()
    config = (json.loads((folder / "config.json").read_text()) if own else
              {"model_type": "marian-nmt" if case.rewrite == "marian" else "fairseq",
               "architectures": [case.classes[1].__name__]})
    golden = {
        "made_by": "tests/goldens/make_family_goldens.py",
        "transformers": transformers.__version__,
        "torch": torch.__version__,
        "seed": seed,
        "family": config["model_type"],
        "class": config["architectures"][0],
        "kind": case.kind,
        "special": case.special,
        "container": f"{'sharded ' if case.sharded else ''}{'safetensors' if own else 'model.npz' if case.rewrite == 'marian' else 'model.pt'}, {str(case.dtype).removeprefix('torch.')}",
        "loads_in_transformers": case.loads,
        "width": model.config.hidden_size,
        "vocabulary": model.config.vocab_size,
        "padding": padding_of(model),
        "stacks": stacks,
        "noise": {key: float(f"{value:.1e}") for key, value in noise.items()},
        "masks": masks,
        "rows": rows,
    }
    if generation:
        golden["generation"] = generation
    text = ",\n".join(f"{json.dumps(key)}: {lines(value)}" for key, value in golden.items())
    (folder / "golden.json").write_text("{" + text + "}\n")
    size = sum(file.stat().st_size for file in folder.iterdir())
    sharp = [max(head[q * n:(q + 1) * n]) for row in rows for kind, layers in row["attention"].items()
             if kind != "cross" for layer in layers for head in layer for n in [math.isqrt(len(head))]
             for q in range(3, n)]
    spread = max(max(map(abs, position)) for row in rows for position in row["logits"])
    print(f"{case.name:20} {size:6} bytes, seed +{(seed - first_seed) // 10}, mean largest attention "
          f"{sum(sharp) / len(sharp):.2f}, largest logit {spread:.1f}, noise {golden['noise']}")
    if generation:
        print(f"{'':20} margins: greedy {min(e['margin'] or 9 for e in greedy):.1e}, "
              f"beam {min(e['margin'] for e in beam):.1e}; lengths {[len(e['tokens']) for e in greedy]}, "
              f"{[len(e['tokens']) for e in beam]}; ended {[int(e['ended']) for e in beam]}")
    assert size < FOLDER_LIMIT, case.name
    assert max(noise.values()) < NOISE_LIMIT * max(1, spread), (case.name, noise)
    return size


# --- Sweeps -----------------------------------------------------------------------------------------------------------

SWEEP_LENGTHS = (9, 5, 12, 7, 10, 3)
MASK = 4
EMBEDDINGS = ("embed", "shared", "wte", "wpe", "lm_head", "predictions.decoder", "vocab_projector")


def soften(folder, target):
    """The folder with larger embeddings and smaller matrices, in float32. Returns the factors."""
    from safetensors.torch import load_file, save_file
    state = {}
    for file in sorted(folder.glob("*.safetensors")):
        state.update(load_file(file))
    factors = {}
    for name, tensor in state.items():
        if tensor.dim() == 2 and tensor.is_floating_point():
            factors[name] = 1.5 if any(part in name for part in EMBEDDINGS) else 0.125
        state[name] = (tensor.float() * factors.get(name, 1.0)).contiguous() if tensor.is_floating_point() else tensor
    save_file(state, target / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    config["torch_dtype"] = "float32"
    (target / "config.json").write_text(json.dumps(config))
    return factors


def losses_and_best(model, kind, rows):
    losses, best = [], []
    for row in rows:
        ids = torch.tensor([row])
        if kind == "language_model":
            logits, wanted = model(input_ids=ids, use_cache=False).logits[0, :-1], ids[0, 1:]
        else:
            masked = ids.repeat(len(row), 1)
            masked.fill_diagonal_(MASK)
            logits, wanted = model(input_ids=masked).logits.diagonal().T, ids[0]
        losses.append(-logits.log_softmax(-1).gather(1, wanted[:, None]).sum())
        best.append(logits.argmax(-1).tolist())
    return torch.stack(losses), best


def guide_windows(model, most):
    """The loop of the guide to perplexity of models with a fixed length, with sums in place of means."""
    text = torch.randint(3, model.config.vocab_size - 5, (1, 3 * most + 5))
    cases = []
    for stride in (most, 5):
        losses, tokens, previous_end = [], [], 0
        for begin in range(0, text.shape[1], stride):
            end = min(begin + most, text.shape[1])
            ids = text[:, begin:end]
            labels = ids.clone()
            labels[:, :-(end - previous_end)] = -100
            logits = model(input_ids=ids, use_cache=False).logits[0, :-1]
            wanted = labels[0, 1:]
            counted = wanted != -100
            own = logits.log_softmax(-1).gather(1, wanted.clamp_min(0)[:, None])[:, 0]
            losses.append(-own[counted].sum())
            tokens.append(int(counted.sum()))
            assert abs(model(input_ids=ids, labels=labels, use_cache=False).loss * tokens[-1] - losses[-1]) < 1e-4
            previous_end = end
            if end == text.shape[1]:
                break
        cases.append({"stride": stride, "losses": digits(torch.stack(losses)), "tokens": tokens})
    return {"text": text[0].tolist(), "cases": cases}


def make_sweep(folder):
    import tempfile
    golden = json.loads((folder / "golden.json").read_text())
    kind = golden["kind"]
    opener = {"language_model": transformers.AutoModelForCausalLM, "masked_lm": transformers.AutoModelForMaskedLM}
    if kind not in opener:
        return
    with tempfile.TemporaryDirectory() as target:
        factors = soften(folder, pathlib.Path(target))
        model = opener[kind].from_pretrained(target, attn_implementation="eager").eval()
    for name, parameter in model.named_parameters():
        assert parameter.dtype == torch.float32, name
    torch.set_default_dtype(torch.float64)
    model.double()
    torch.manual_seed(zlib.crc32(folder.name.encode()) + 3)
    rows = [torch.randint(6, model.config.vocab_size - 5, (length,)).tolist() for length in SWEEP_LENGTHS]
    stacks = golden["stacks"]
    whole, best = losses_and_best(model, kind, rows)
    heads, same, moved = [], 0, []
    for stack_kind, stack in stacks.items():
        for layer, numbers in enumerate(stack["heads"]):
            for head in numbers:
                with without(model, stacks, [[stack_kind, layer, head]]):
                    losses, found = losses_and_best(model, kind, rows)
                heads.append({"head": [stack_kind, layer, head], "losses": digits(losses)})
                same += sum(a == b for a, b in zip(best, found))
                moved += (losses - whole).abs().tolist()
    windows = None
    if kind == "language_model":
        longest = [getattr(model.config, key, 0) for key in ("n_positions", "max_position_embeddings", "seq_length")]
        windows = guide_windows(model, next(filter(None, longest)))
    torch.set_default_dtype(torch.float32)
    share = same / len(moved)
    result = {"made_by": "tests/goldens/make_family_goldens.py --sweeps", "transformers": transformers.__version__,
              "torch": torch.__version__, "factors": factors,
              **({"mask_id": MASK} if kind == "masked_lm" else {}), "rows": rows, "losses": digits(whole),
              "same_best": round(share, 3), "heads": heads, **({"windows": windows} if windows else {})}
    text = ",\n".join(f"{json.dumps(key)}: {lines(value)}" for key, value in result.items())
    (folder / "sweep.json").write_text("{" + text + "}\n")
    moved.sort()
    print(f"{folder.name:20} {len(heads):3} heads, best tokens stay in {share:.0%}, losses move by "
          f"{moved[0]:.1e} to {moved[-1]:.1e}, half by more than {moved[len(moved) // 2]:.1e}, "
          f"{(folder / 'sweep.json').stat().st_size} bytes")
    assert share > 0.5 and moved[len(moved) // 2] > 1e-3, folder.name


def lines(value):
    """Lists of objects one object a line, so that differences between two runs can be read."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in value) + "]"
    if isinstance(value, dict) and any(isinstance(item, list) for item in value.values()):
        return "{" + ",\n".join(f"{json.dumps(key)}: {lines(item)}" for key, item in value.items()) + "}"
    return json.dumps(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("name", nargs="*", help="only these")
    parser.add_argument("--sweeps", action="store_true", help="only sweep.json, of folders that are there")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    made_here = CASES[NEW_FROM:] if IS_NEW else CASES[:NEW_FROM]
    cases = [case for case in made_here if not arguments.name or case.name in arguments.name]
    if arguments.sweeps:
        for case in cases:
            make_sweep(arguments.folder / case.name)
        return 0
    total = sum(make(case, arguments.folder / case.name) for case in cases)
    print(f"{len(cases)} folders, {total} bytes")
    assert total < TOTAL_LIMIT
    return 0


if __name__ == "__main__":
    sys.exit(main())
