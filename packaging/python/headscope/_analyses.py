"""A method for every analysis, with its options: made by packaging/python/methods.py from `headscope-cli describe`, the
core's own table. Do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Mapping, Optional, Sequence

from ._data import option_path

if TYPE_CHECKING:
    from typing import Literal

    from ._data import Dataset, PathLike
    from ._heads import Heads
    from ._results import Result

#: Options of every analysis (`headscope-cli ablate --help`, Computation); all others are an analysis's own.
RUN_OPTIONS = frozenset(
    (
        "beams",
        "length-penalty",
        "max-length",
        "max-new-tokens",
        "stop",
        "task",
        "metric",
        "batch-tokens",
        "seed",
        "products",
        "memory",
        "plain",
    )
)


class Analyses:
    """What can be asked of a model."""

    def _call(
        self,
        analysis: str,
        data: Optional[Dataset],
        options: Mapping[str, Any],
        second: Optional[Dataset] = None,
        beside: Optional[Mapping[str, Any]] = None,
    ) -> Result:
        raise NotImplementedError

    def _export_point(self, result: Result, folder: PathLike, at: Optional[int], form: str) -> None:
        raise NotImplementedError

    def evaluate(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        against: Optional[Heads] = None,
        by: Optional[Literal["head", "key-group"]] = None,
        resamples: Optional[int] = None,
        rescale: Optional[bool] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
        outputs: bool = False,
    ) -> Result:
        """Score the model on a data set.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        against
            Heads of the mask to compare with; empty: the full model.
        by
            One of head, key-group. The unit of a mask: its heads, or the whole groups that share their key-value
            heads (default: head).
        resamples
            Resamples of the bootstrap interval; 0 = no interval; default: as many as a sweep of the model has (0 to
            10,000,000).
        rescale
            Multiply the heads that stay in a layer by its heads / those that stay, as an option of Michel et al.'s
            code does; without it they stay as they are, as in the paper.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.
        outputs
            Keep every example's output, for Result.per_example().

        Returns
        -------
        Result
            Of kind "evaluate", whose main table is ``metrics``; others that there may be: ``groups``, ``outputs``.
        """
        options = {
            "mask": mask,
            "against": against,
            "by": by,
            "resamples": resamples,
            "rescale": rescale,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("evaluate", data, options, beside={"outputs": True, "scores": True} if outputs else None)

    def ablate(
        self,
        data: Dataset,
        *,
        reference_on: Optional[Dataset] = None,
        choose_on: Optional[Dataset] = None,
        mask: Optional[Heads] = None,
        by: Optional[Literal["head", "key-group"]] = None,
        all_but_one: Optional[bool] = None,
        replace: Optional[Literal["zero", "mean", "resample", "optimal", "window"]] = None,
        fit_examples: Optional[int] = None,
        fit_steps: Optional[int] = None,
        sinks: Optional[int] = None,
        window: Optional[int] = None,
        draws: Optional[int] = None,
        sample_ratio: Optional[float] = None,
        resamples: Optional[int] = None,
        precision: Optional[float] = None,
        rescale: Optional[bool] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Score the model without each of its heads in turn.

        The result: "heads", each with delta: the score without the head minus that of the full model ("baseline"),
        whatever the metric. Whether a delta above zero is a gain or a loss is said by the baseline's "better":
        "higher" or, for loss and perplexity, "lower".

        Parameters
        ----------
        data
            The data set.
        reference_on
            For `replace` mean, resample and optimal: the data set that contexts are taken from, or constants fitted
            to.
        choose_on
            For `all_but_one`: choose each layer's best head on this data set, and report that head; the result
            ("result": "best-heads") has a line per layer: chosen_delta, then what `ablate` says of the head, and the
            whole row.
        mask
            Heads masked throughout.
        by
            One of head, key-group. The unit that is removed at a time: a head, or all heads that share a key-value
            head (masked heads mask their whole groups too) (default: head).
        all_but_one
            Keep each head in turn as the only one of its layer.
        replace
            One of zero, mean, resample, optimal, window. Replacement of a removed head's context: nothing (zero), its
            mean, that of other examples (resample), the constant that makes the loss lowest (optimal: Li and Janson
            2024); window: nothing is removed, but the head sees only the first keys and those near the query
            (cross-attention is left out) (default: zero).
        fit_examples
            For `replace` optimal: examples that constants are fitted to, in the order of the seed; default: 64 (1 to
            1,000,000).
        fit_steps
            For `replace` optimal: steps of the descent, for each head; default: 20 (1 to 1,000,000).
        sinks
            For `replace` window: keys from the beginning that a head still sees; default: 4 (0 to 1,073,741,824).
        window
            For `replace` window: a head still sees the keys at a distance from the query below this (1: its own only;
            of a decoder the last so many, of an encoder on both sides); default: 64 (1 to 1,073,741,824).
        draws
            For `replace` resample: number of random examples whose contexts replace each example's; results average
            over them (1 to 1,000; default: 1).
        sample_ratio
            Size of a resample by the size of the data set; compare-mt draws 0.5, which makes its tests conservative
            (1e-06 to 1.0; default: 1.0).
        resamples
            Resamples of the paired bootstrap, and trials of approximate randomisation; 0 = no tests; default: as many
            as let a head be significant after Holm's correction over all heads of the model (80 a head, rounded up to
            thousands) (0 to 10,000,000).
        precision
            Stop measuring a head once its delta is known to ± X (half of the 95 % interval, in units of the metric);
            0: use every example for every head (at least 0.0).
        rescale
            Multiply the heads that stay in a layer by its heads / those that stay, as an option of Michel et al.'s
            code does; without it they stay as they are, as in the paper.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "ablate", whose main table is ``heads``; others that there may be: ``products.tiers``.
        """
        options = {
            "mask": mask,
            "by": by,
            "all-but-one": all_but_one,
            "replace": replace,
            "fit-examples": fit_examples,
            "fit-steps": fit_steps,
            "sinks": sinks,
            "window": window,
            "draws": draws,
            "sample-ratio": sample_ratio,
            "resamples": resamples,
            "precision": precision,
            "rescale": rescale,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        analysis = "ablate" if choose_on is None else "best-heads"
        if reference_on is not None and choose_on is not None:
            raise ValueError("give only one of reference_on and choose_on.")
        return self._call(analysis, data, options, reference_on or choose_on)

    def importance(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        by: Optional[Literal["head", "key-group"]] = None,
        reduction: Optional[Literal["token", "example", "batch", "fisher"]] = None,
        normalize: Optional[Literal["none", "layer", "global", "bertology"]] = None,
        batch_examples: Optional[int] = None,
        example_loss: Optional[Literal["sum", "mean"]] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Estimate each head's importance from gradients.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        by
            One of head, key-group. The unit that is estimated: each head, or all heads that share a key-value head as
            one (masked heads mask their whole groups too) (default: head).
        reduction
            One of token, example, batch, fisher. Sum of which the absolute value is taken: every token, example or
            batch; fisher: the sum over batches of squares (Fisher information, of which `search` takes the mean over
            batches). Which examples are a batch only `seed` and the size of batches decide (default: token).
        normalize
            One of none, layer, global, bertology. layer: divide by the l2 norm of each layer; global: by that of all
            heads; bertology: by layer, then map all heads to 0-1, as Hugging Face's script does (default: layer).
        batch_examples
            For batch and fisher: examples in a batch; default: as many as fit into `batch_tokens` with padding where
            that is given, else 32 as in Michel et al.'s and Kwon et al.'s scripts (Hugging Face's has 1: batch is
            then example) (at least 0).
        example_loss
            One of sum, mean. Whose gradient: the sum of an example's losses over its target tokens, or their mean; of
            labels the same (default: sum).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "importance", whose main table is ``heads``.
        """
        options = {
            "mask": mask,
            "by": by,
            "reduction": reduction,
            "normalize": normalize,
            "batch-examples": batch_examples,
            "example-loss": example_loss,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("importance", data, options)

    def prune(
        self,
        data: Dataset,
        *,
        order_on: Optional[Dataset] = None,
        order: Optional[PathLike] = None,
        by: Optional[Literal["head", "key-group"]] = None,
        step: Optional[int] = None,
        rounding: Optional[Literal["down", "up"]] = None,
        reverse: Optional[bool] = None,
        greedy_step: Optional[int] = None,
        each_kind: Optional[bool] = None,
        reestimate: Optional[bool] = None,
        rescale: Optional[bool] = None,
        kinds: Optional[Sequence[Literal["encoder", "cross", "decoder"]]] = None,
        at_least: Optional[int] = None,
        random_orders: Optional[int] = None,
        reduction: Optional[Literal["token", "example", "batch", "fisher"]] = None,
        normalize: Optional[Literal["none", "layer", "global", "bertology"]] = None,
        batch_examples: Optional[int] = None,
        example_loss: Optional[Literal["sum", "mean"]] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
        export: Optional[PathLike] = None,
        export_at: Optional[int] = None,
        export_form: Literal["full", "small"] = "full",
    ) -> Result:
        """Measure the score while more and more heads are removed.

        Parameters
        ----------
        data
            The data set.
        order_on
            Choose the order on this data set, so that the curve is measured on data that did not influence it.
        order
            importance, ablation, shapley, relevance, gating (each as the command of that name has it), random, greedy
            (at every step the head whose removal leaves the best score, all others measured anew), or a file with the
            heads in the order of removal (or a JSON result of ablate, importance or shapley) (default: importance).
        by
            One of head, key-group. The unit that is removed at a time: heads, or groups of heads that share a
            key-value head; `step`, `greedy_step` and `at_least` count these (default: head).
        step
            Heads removed between two points; 0 = a tenth of the candidates (at least 0).
        rounding
            One of down, up. How tenths of the candidates become whole heads (default: down).
        reverse
            Reverse the order: the heads that seem most needed are removed first.
        greedy_step
            For `order` greedy: heads to remove before all others are measured again (at least 1; default: 1).
        each_kind
            A curve for each kind of attention (of `kinds`) by itself, with percentages of that kind; JSON: "curves"
        reestimate
            Estimate importance again before every step.
        rescale
            Multiply the heads that stay in a layer by its heads / those that stay, as an option of Michel et al.'s
            code does; without it they stay as they are, as in the paper.
        kinds
            Some of encoder, cross, decoder. Candidates (default: all)
        at_least
            Heads never removed in a layer (at least 0).
        random_orders
            For `order` random (1 to 1,000,000; default: 10).
        reduction
            One of token, example, batch, fisher. The reduction of importance, as in `importance` (default: token).
        normalize
            One of none, layer, global, bertology. The normalisation of importance, as in `importance` (default:
            layer).
        batch_examples
            The batches of importance, as in `importance` (at least 0).
        example_loss
            One of sum, mean. The loss of importance, as in `importance` (default: sum).
        resamples
            Resamples of the bootstrap intervals and tests, and of the sweep of `order` ablation; default: as many as
            `ablate` has (0 to 10,000,000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.
        export
            Write a model without the removed heads to this new folder.
        export_at
            Number of heads removed in it: a point of the curve.
        export_form
            full: the original shape with the removed heads set to zero, which every library loads; small: without
            their rows and columns.

        Returns
        -------
        Result
            Of kind "prune", whose main table is ``curves.points``; others that there may be: ``curves``,
            ``curves.points.others``, ``curves.products.tiers``.
        """
        options = {
            "order": option_path(order),
            "by": by,
            "step": step,
            "rounding": rounding,
            "reverse": reverse,
            "greedy-step": greedy_step,
            "each-kind": each_kind,
            "reestimate": reestimate,
            "rescale": rescale,
            "kinds": kinds,
            "at-least": at_least,
            "random-orders": random_orders,
            "reduction": reduction,
            "normalize": normalize,
            "batch-examples": batch_examples,
            "example-loss": example_loss,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        result = self._call("prune", data, options, order_on)
        if export is not None:
            self._export_point(result, export, export_at, export_form)
        return result

    def search(
        self,
        data: Dataset,
        *,
        search_on: Optional[Dataset] = None,
        kinds: Optional[Sequence[Literal["encoder", "cross", "decoder"]]] = None,
        step: Optional[int] = None,
        rounding: Optional[Literal["down", "up"]] = None,
        samples: Optional[int] = None,
        mini_batch: Optional[int] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Find masks from gradients alone: Fisher search, rearrangement, rescaling (Kwon 2022)

        The result: "fisher" (a value per head: the mean over mini-batches, where importance `reduction` fisher has
        the sum) and "points", one per budget, with pruned, fraction, attention_macs (what is left of attention's
        multiply-adds) and three masks, each on top of the one before: "search", "rearranged", "rescaled", with mask,
        objective (block Fisher information that is lost), score, delta, ci_low, ci_high; "rescaled" has "scales", a
        factor per head that stays. `format` csv: a line per budget and mask.

        Parameters
        ----------
        data
            The data set.
        search_on
            Take gradients and factors from this data set, training data for instance.
        kinds
            Some of encoder, cross, decoder. Candidates (default: all)
        step
            Heads removed between two budgets; 0 = a tenth of the candidates (at least 0).
        rounding
            One of down, up. How tenths of the candidates become whole heads (default: down).
        samples
            Examples for gradients and factors; 0 = all (at least 0; default: 512).
        mini_batch
            Examples per gradient (at least 1; default: 32).
        resamples
            Resamples of the bootstrap intervals and tests; default: as many as `ablate` has (0 to 10,000,000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "search", whose main table is ``points``; others that there may be: ``fisher``.
        """
        options = {
            "kinds": kinds,
            "step": step,
            "rounding": rounding,
            "samples": samples,
            "mini-batch": mini_batch,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("search", data, options, search_on)

    def roles(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        measure: Optional[Literal["weights", "norm-shares", "norms"]] = None,
        special_tokens: Optional[Literal["excluded", "not-queries", "not-keys", "counted"]] = None,
        renormalize: Optional[bool] = None,
        own_output: Optional[bool] = None,
        corpus: Optional[PathLike] = None,
        frequencies: Optional[PathLike] = None,
        alignments: Optional[PathLike] = None,
        sieve_threshold: Optional[float] = None,
        sinks: Optional[int] = None,
        window: Optional[int] = None,
        evidence: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Find out what heads attend to: offsets, syntax, rare words, patterns.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        measure
            One of weights, norm-shares, norms. Attention weights; norms of what is added for a key, as they are
            (confidence; the rest takes their shares); or norm-shares, the norms by their sum over the keys (default:
            weights).
        special_tokens
            One of excluded, not-queries, not-keys, counted. Confidence: leave special tokens out as queries and keys,
            only as one of them, or count them (default: excluded).
        renormalize
            Confidence: what is left beside them sums to 1.
        own_output
            Force the decoder to the model's own output, not to the references.
        corpus
            Text whose tokens are counted to know rare ones: the training text; default: the order of the vocabulary.
        frequencies
            Words and how often they occur instead, one a line.
        alignments
            Word alignments for the error rates of cross-attention: lines of 0-0 1?2 (source-target, ? possible)
        sieve_threshold
            Syntactic, local, block and delimiter roles as Pande et al. (2021) test them: how many times as much
            attention as if all keys got the same a head must give, for p (at least 0.0; default: 1.5).
        sinks
            Keys from the beginning that a sink head looks at; default: 4 (0 to 1,073,741,824).
        window
            Other keys at this distance from the query or more are distant, as `ablate --replace window` hides them;
            default: 64 (1 to 1,073,741,824).
        evidence
            Sentences for and against every label (0 to 1,000; default: 5).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "roles", whose main table is ``heads``; others that there may be: ``heads.evidence``,
            ``heads.evidence.against``, ``heads.evidence.for``, ``heads.patterns``, ``heads.sieves``, ``relations``,
            ``relations.offsets``.
        """
        options = {
            "mask": mask,
            "measure": measure,
            "special-tokens": special_tokens,
            "renormalize": renormalize,
            "own-output": own_output,
            "corpus": option_path(corpus),
            "frequencies": option_path(frequencies),
            "alignments": option_path(alignments),
            "sieve-threshold": sieve_threshold,
            "sinks": sinks,
            "window": window,
            "evidence": evidence,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("roles", data, options)

    def relevance(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        rule: Optional[Literal["alpha-beta", "epsilon", "attnlrp", "cp-lrp"]] = None,
        own_output: Optional[bool] = None,
        absolute: Optional[bool] = None,
        signed: Optional[bool] = None,
        attention_constant: Optional[bool] = None,
        sentences: Optional[bool] = None,
        example: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Trace the model's outputs back to its heads and its input: layer-wise relevance propagation.

        The result: "heads" with relevance (the head's share of its layer, mean over steps) and stderr over examples;
        "contributions" of translation models by target position (from 1; 0 has no prefix but the start token): source
        (its share; the rest is the prefix's), source_entropy, prefix_entropy; "conserved" and "largest_deviation":
        the sum of relevances at the embeddings, which was 1 at the start. "sentences": heads, source and prefix (a
        row per step); of `example` with the spelling of tokens.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        rule
            One of alpha-beta, epsilon, attnlrp, cp-lrp. alpha-beta: Voita et al.'s code; epsilon: Ding et al.;
            attnlrp: Achtibat et al.; cp-lrp: Ali et al (default: alpha-beta).
        own_output
            Force the decoder to the model's own greedy output, not to the references (always done without references)
        absolute
            Divide each head's relevance by the layer's absolute relevances.
        signed
            Divide by the sum instead, even for rules with negative relevances.
        attention_constant
            alpha-beta: no relevance flows through queries and keys.
        sentences
            Keep the relevances of every example, and every token's contribution.
        example
            This example alone (counted from 0): what each of its tokens contributes to each output, as spelt.
            `format` csv: a line per step and token (at least 0).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "relevance", whose main table is ``heads``; others that there may be: ``contributions``,
            ``sentences``.
        """
        options = {
            "mask": mask,
            "rule": rule,
            "own-output": own_output,
            "absolute": absolute,
            "signed": signed,
            "attention-constant": attention_constant,
            "sentences": sentences,
            "example": example,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("relevance", data, options)

    def confidence(
        self,
        data: Dataset,
        *,
        by: Optional[Literal["head", "key-group"]] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Average each head's largest attention weight; `roles` has more options.

        Parameters
        ----------
        data
            The data set.
        by
            One of head, key-group. Whose queries the mean is over: those of a head, or of all heads that share a
            key-value head (default: head).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "confidence", whose main table is ``heads``.
        """
        options = {
            "by": by,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("confidence", data, options)

    def patch(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        by: Optional[Literal["head", "key-group"]] = None,
        measure: Optional[Literal["logit-difference", "probability", "loss", "accuracy"]] = None,
        direction: Optional[Literal["denoise", "noise"]] = None,
        what: Optional[Literal["context", "query", "key", "value", "pattern"]] = None,
        positions: Optional[bool] = None,
        align: Optional[Literal["start", "end"]] = None,
        paths_to: Optional[str] = None,
        circuits: Optional[bool] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Put a head's context of one text into the run of another: which heads carry the answer.

        Activation patching. The data: a table with the columns clean, corrupt, answer and wrong_answer. The result:
        "heads" and, with `positions`, "cells", each with delta (patched minus base run), effect (delta by the
        difference of the clean and corrupt scores: 0 nothing, 1 all of it), their intervals, and attribution (what
        gradients estimate the delta of the logit difference to be, whatever `measure` says); "head_agreement" says
        how well. direct_clean and direct_corrupt: what a head adds to the logit difference by itself. `circuits`:
        "circuits" with faithfulness, cpr and cmd; `nodes` writes the heads as a file of the MIB benchmark. `format`
        csv: a line per head and cell.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        by
            One of head, key-group. The unit that is patched at a time: a head, or all heads that share a key-value
            head (default: head).
        measure
            One of logit-difference, probability, loss, accuracy. How an answer is scored: its logit minus that of the
            wrong answer, its probability, its loss (-ln p), or whether it is likelier than the wrong answer (default:
            logit-difference).
        direction
            One of denoise, noise. denoise: the corrupt text is run with a head's context of the clean one; noise: the
            clean text with that of the corrupt one (default: denoise).
        what
            One of context, query, key, value, pattern. Part of a head that is patched: its context (all that it makes
            of the text), or a part of that: its queries, keys, values, or its pattern (the attention weights). Keys
            and values that heads share are patched for all heads of the group (default: context).
        positions
            Patch every head at every position by itself, too.
        align
            One of start, end. How positions are counted where pairs have different lengths: from the start (0, 1,
            ...) or the end (..., -2, -1) (default: start).
        paths_to
            Path patching: let a head's patched context reach only this head (its queries, keys and values) or the
            output, while all other heads keep the contexts of the base run.
        circuits
            Measure circuits of growing size too: the heads with the largest effects keep their contexts, all others
            get those of the corrupt text.
        resamples
            Resamples of the bootstrap over pairs; 0 = no intervals (0 to 10,000,000; default: 1000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "patch", whose main table is ``cells`` (where it is empty, ``heads``); others that there may be:
            ``circuits``, ``circuits.points``, ``heads``, ``pairs``.
        """
        options = {
            "mask": mask,
            "by": by,
            "measure": measure,
            "direction": direction,
            "what": what,
            "positions": positions,
            "align": align,
            "paths-to": paths_to,
            "circuits": circuits,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("patch", data, options)

    def paths(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        from_: Optional[str] = None,
        to: Optional[str] = None,
        inputs: Optional[Sequence[Literal["query", "key", "value", "all", "logits"]]] = None,
        measure: Optional[Literal["logit-difference", "probability", "loss", "accuracy"]] = None,
        direction: Optional[Literal["denoise", "noise"]] = None,
        feed_forward: Optional[Literal["recomputed", "frozen"]] = None,
        method: Optional[Literal["exact", "linear"]] = None,
        verify: Optional[int] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Follow the direct paths from head to head: query, key, value and logits apart.

        Path patching of all pairs of heads. The data: a table with the columns clean, corrupt, answer and
        wrong_answer, as for `patch`. The result: "paths", the strongest first, each with its sender (head), its
        receiver (to; none: the output), the receiver's input, delta and effect with intervals, attribution (what
        gradients estimate delta to be), p and p_bh over all paths. "exact" is false where delta is that estimate.
        `format` csv: a line per path.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        from_
            Only paths from these heads: decoder.0.3,decoder.1.2; default: from all.
        to
            Only paths to these heads, or "logits"; default: to all.
        inputs
            Some of query, key, value, all, logits. Where paths end: query, key, value, all three together, logits;
            default: query, key, value and logits, each by itself. Keys and values that heads share are of their
            group.
        measure
            One of logit-difference, probability, loss, accuracy. How an answer is scored: its logit minus that of the
            wrong answer, its probability, its loss (-ln p), or whether it is likelier than the wrong answer (default:
            logit-difference).
        direction
            One of denoise, noise. denoise: the corrupt text is run with the sender's context of the clean one; noise:
            the clean text with that of the corrupt one (default: denoise).
        feed_forward
            One of recomputed, frozen. Feed-forward layers between sender and receiver: recomputed, so that they read
            the sender's change too, or frozen as in the base run (default: recomputed).
        method
            One of exact, linear. exact: every path by a run from its receiver on; linear: all of them by gradients
            (edge attribution) (default: exact).
        verify
            For `method` linear: so many of the strongest paths are computed exactly too (0 to 1,000,000).
        resamples
            Resamples of the bootstrap over pairs; 0 = no intervals. For p of paths that none of them contradicts,
            more are drawn (0 to 10,000,000; default: 1000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "paths", whose main table is ``paths``.
        """
        options = {
            "mask": mask,
            "from": from_,
            "to": to,
            "inputs": inputs,
            "measure": measure,
            "direction": direction,
            "feed-forward": feed_forward,
            "method": method,
            "verify": verify,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("paths", data, options)

    def takeover(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        head: Optional[str] = None,
        by: Optional[Literal["head", "key-group"]] = None,
        replace: Optional[Literal["zero", "mean", "resample", "optimal", "window"]] = None,
        draws: Optional[int] = None,
        sentences: Optional[bool] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Remove a head, and see which other heads take over what it added to the answer.

        Needs `head`. The data: a table with the columns clean, corrupt, answer and wrong_answer, as for `patch` (of
        the clean texts), or any texts of a classifier or of a causal language model, whose answer is then what the
        model says, and the wrong one what is next likely. The result: what the head adds by itself to the difference
        of their logits (own), what that becomes without it (whole, without), and what the others add instead (others,
        rest); repaired is their share of what was lost. "heads" with change, interval, p and p_bh. `format` csv: a
        line per head.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        head
            The head that is removed: decoder.9.6.
        by
            One of head, key-group. The unit that is removed: the head, or all heads that share its key-value head
            (default: head).
        replace
            One of zero, mean, resample, optimal, window. Replacement of the removed head's context: nothing; its mean
            over the data set; that of another example, as a control (default: zero).
        draws
            For `replace` resample: number of random examples whose contexts replace each example's; results average
            over them (1 to 1,000; default: 1).
        sentences
            Keep the changes of every example, too.
        resamples
            Resamples of the bootstrap over examples; 0 = no intervals (0 to 10,000,000; default: 1000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "takeover", whose main table is ``heads``; others that there may be: ``sentences``.
        """
        options = {
            "mask": mask,
            "head": head,
            "by": by,
            "replace": replace,
            "draws": draws,
            "sentences": sentences,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("takeover", data, options)

    def shapley(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        by: Optional[Literal["head", "key-group"]] = None,
        kinds: Optional[Sequence[Literal["encoder", "cross", "decoder"]]] = None,
        orders: Optional[int] = None,
        truncate: Optional[float] = None,
        precision: Optional[float] = None,
        order_precision: Optional[float] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Divide the score among the heads by their Shapley values, redundant heads included.

        The result: "heads" with shapley (what a head adds to the score of those put in before it, mean over orders),
        ci_low, ci_high, p and p_bh. The values sum to all - none, the scores with and without all these heads,
        whatever the metric. `prune --order FILE` takes the JSON as an order.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        by
            One of head, key-group. The unit that has a value: a head, or all heads that share a key-value head
            (default: head).
        kinds
            Some of encoder, cross, decoder. Whose heads have values; all others stay (default: all have)
        orders
            Random orders of the heads, every second one the reverse of the one before. Where there are no more sets
            of heads than they would measure, all sets are measured and the values are exact (2 to 1,000,000; default:
            20).
        truncate
            Stop removing heads in an order once the score is as near as this share of (all - none) to that without
            heads; the heads left share what is left alike. 0: never (0.0 to 1.0).
        precision
            Draw no more orders once every value is known to ± X (half of its interval); 0: use all of `orders` (at
            least 0.0).
        order_precision
            Draw no more orders once every value of these very examples is known to ± X (half of the 95 % interval by
            the orders drawn, Student's t); 0: use all of `orders` (at least 0.0).
        resamples
            Resamples of the bootstrap over examples and orders; 0 = no intervals (0 to 10,000,000; default: 1000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "shapley", whose main table is ``heads``.
        """
        options = {
            "mask": mask,
            "by": by,
            "kinds": kinds,
            "orders": orders,
            "truncate": truncate,
            "precision": precision,
            "order-precision": order_precision,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("shapley", data, options)

    def interactions(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        among: Optional[str] = None,
        by: Optional[Literal["head", "key-group"]] = None,
        kinds: Optional[Sequence[Literal["encoder", "cross", "decoder"]]] = None,
        most: Optional[int] = None,
        resamples: Optional[int] = None,
        triples: Optional[bool] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Measure pairs of heads: which stand in for each other, which need each other.

        The result: "pairs" with interaction (delta without both minus the deltas without each), its interval, p and
        p_bh, the largest first. Of a score that is better when higher, below zero the two heads stand in for each
        other: single ablation understates them. `among` limits it to some heads, such as encoder.0.3,encoder.1.2, and
        `triples` adds "triples": what three heads do together that no two of them account for.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        among
            Only pairs of these heads: encoder.0.3,encoder.1.2; default: of all.
        by
            One of head, key-group. The unit that is removed at a time: a head, or all heads that share a key-value
            head (default: head).
        kinds
            Some of encoder, cross, decoder. Whose heads are looked at (default: all)
        most
            Pairs measured at most: where there are more, those whose losses have the largest mixed derivatives by
            gradients (of the block Fisher matrix) (1 to 1,000,000; default: 5000).
        resamples
            Resamples of the paired bootstrap; 0 = no intervals (0 to 10,000,000; default: 1000).
        triples
            Also measure all triples of the heads, which `among` limits to 12 at most.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "interactions", whose main table is ``pairs``; others that there may be: ``clusters.merges``,
            ``heads``, ``triples``.
        """
        options = {
            "mask": mask,
            "among": among,
            "by": by,
            "kinds": kinds,
            "most": most,
            "resamples": resamples,
            "triples": triples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("interactions", data, options)

    def gating(
        self,
        data: Dataset,
        *,
        kinds: Optional[Sequence[Literal["encoder", "cross", "decoder"]]] = None,
        seeds: Optional[int] = None,
        steps: Optional[int] = None,
        lambda_: Optional[float] = None,
        learning_rate: Optional[float] = None,
        batch_examples: Optional[int] = None,
        hard: Optional[bool] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Fit gates that are pulled to 1 and to 0: which heads help the task, which interfere (Nam 2025)

        Causal head gating: a gate between 0 and 1 for every head, fitted to the loss while all weights stay as they
        are, first without a pull, from there pulled to 1 (G+) and to 0 (G-), for several seeds. The result: "heads"
        with role (facilitating: stays open although pulled to 0; interfering: closes although pulled to 1;
        irrelevant), the three scores G-, 1 - G+ and G+ (1 - G-), and agreement over seeds; "seeds" with every fit and
        its losses. `format` csv: a line per head.

        Parameters
        ----------
        data
            The data set.
        kinds
            Some of encoder, cross, decoder. Whose heads have gates (default: all)
        seeds
            Fits from other beginnings, from `seed` on (1 to 1,000; default: 5).
        steps
            Updates without a pull, and then as many with each of the two (1 to 1,000,000; default: 100).
        lambda_
            Strength of the pull: loss per target token + lambda times the sum of the gates' logits (to 0), or minus
            it (to 1) (1e-09 to 1,000,000.0; default: 0.001).
        learning_rate
            Learning rate of Adam, on the gates' logits (1e-09 to 100.0; default: 0.1).
        batch_examples
            Examples of an update (at least 1; default: 32).
        hard
            Hard Concrete gates, as in `l0`, with the expected number of open heads as the pull, instead of soft ones;
            G is then the probability of being open.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "gating", whose main table is ``heads``; others that there may be: ``seeds``.
        """
        options = {
            "kinds": kinds,
            "seeds": seeds,
            "steps": steps,
            "lambda": lambda_,
            "learning-rate": learning_rate,
            "batch-examples": batch_examples,
            "hard": hard,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("gating", data, options)

    def needed(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        example: Optional[int] = None,
        by: Optional[Literal["head", "key-group"]] = None,
        kinds: Optional[Sequence[Literal["encoder", "cross", "decoder"]]] = None,
        replace: Optional[Literal["zero", "mean", "resample", "optimal", "window"]] = None,
        token: Optional[int] = None,
        orders: Optional[int] = None,
        most: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Find the few heads that keep one example's output, and the few without which it changes.

        Needs `example`. The result: "sets", each with goal (keep: with these heads alone the output stays; flip:
        without them it is another), heads, output, and proof: no-one (no single head can be left out of the set),
        no-part (no part of it would do) or smallest (no smaller set of heads would). "heads": whether the output
        changes without one alone, and in how many sets it is. `format` csv: a line per head.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        example
            The row of the data set, counted from 0 (at least 0).
        by
            One of head, key-group. The unit that is left out at a time: a head, or all heads that share a key-value
            head (default: head).
        kinds
            Some of encoder, cross, decoder. Whose heads may be left out; all others stay (default: all)
        replace
            One of zero, mean, resample, optimal, window. Replacement of a removed head's context: zero, or mean, over
            the data set (default: zero).
        token
            For a language model: only its guess of this token counts (0: the first one that is guessed; -1: the
            last), not those of all (-1,000,000 to 1,000,000).
        orders
            Sets looked for: the first leaves those heads out first that change least by themselves, the others take
            random orders (1 to 1,000,000; default: 1).
        most
            Smaller sets that are tried, as far as all of a size are no more than this, to prove that no part of a set
            would do, and that no smaller set would; and to find a set that changes the output where `orders` find
            none: all sets, small ones first (0 to 1,000,000; default: 2000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "needed", whose main table is ``sets``; others that there may be: ``heads``.
        """
        options = {
            "mask": mask,
            "example": example,
            "by": by,
            "kinds": kinds,
            "replace": replace,
            "token": token,
            "orders": orders,
            "most": most,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("needed", data, options)

    def mcnemar(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        examples: Optional[bool] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Count the examples that each head decides: right only with it, right only without it.

        For classifiers and minimal pairs, whose examples are right or wrong. The result: "heads" with both_right,
        lost (right only with the head), gained (right only without), both_wrong, and the p of McNemar's exact test.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        examples
            Name the examples that are lost and gained without each head, by their rows.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "mcnemar", whose main table is ``heads``.
        """
        options = {
            "mask": mask,
            "examples": examples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("mcnemar", data, options)

    def similarity(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        distance: Optional[Literal["root", "divergence"]] = None,
        linkage: Optional[Literal["average", "complete", "single"]] = None,
        average: Optional[Literal["tokens", "clark"]] = None,
        smoothing: Optional[float] = None,
        own_output: Optional[bool] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Compare what heads attend to: distances, map, clusters, and what they look at on the surface.

        The result: "heads" with mean attention to the token itself, its neighbours, the first token, delimiters and
        punctuation, entropies, and the behaviour that follows (Clark et al. 2019, figures 2, 4 and 6); "kinds" with
        the Jensen-Shannon divergence of every two heads of a kind of attention, their map (x, y, stress) and
        dendrogram (merges, order); "layers" with how far the heads of a layer are from each other, with an interval.
        `format` csv: a line per head.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        distance
            One of root, divergence. Distance of map, clusters and spread: the root of the mean Jensen-Shannon
            divergence, which is a metric, or the divergence, as in Clark et al.'s code (default: root).
        linkage
            One of average, complete, single. Distance of clusters: mean, largest or smallest distance of their
            members (default: average).
        average
            One of tokens, clark. Average of surface statistics: over the tokens that have such a key, or as Clark et
            al.'s code does: over examples, by all tokens, punctuation being . and , (default: tokens).
        smoothing
            Mix rows with this much uniform attention before they are compared; Clark et al.: 0.001 (0.0 to 0.5).
        own_output
            Force the decoder to the model's own greedy output, not to the references (always done without references)
        resamples
            Resamples of the bootstrap intervals of the spread; 0 = none (0 to 10,000,000; default: 1000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "similarity", whose main table is ``heads``; others that there may be: ``kinds``,
            ``kinds.merges``, ``layers``.
        """
        options = {
            "mask": mask,
            "distance": distance,
            "linkage": linkage,
            "average": average,
            "smoothing": smoothing,
            "own-output": own_output,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("similarity", data, options)

    def gradients(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """How much the loss follows attention to special tokens, punctuation, neighbours and all else.

        Clark et al. 2019, section 3.2 and figure 3: a head that attends to a kind of keys which the loss does not
        follow may attend there because it has nothing to do. The result: "heads", each with "keys": of every class of
        keys (a key is of the first that holds: first, delimiter, punctuation, self, same, previous, next, other)
        attention, gradient (mean |dL/da| of one weight a) and product (a dL/da, summed over a token's keys). L is
        what importance takes: -ln p of the label, of all tokens of the reference or text; an encoder that guesses
        masked tokens has each masked by itself. `format` csv: a line per head.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "gradients", whose main table is ``heads``; others that there may be: ``counts``, ``heads.keys``.
        """
        options = {
            "mask": mask,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("gradients", data, options)

    def probe(
        self,
        data: Dataset,
        *,
        train_on: Optional[Dataset] = None,
        mask: Optional[Heads] = None,
        test_share: Optional[float] = None,
        epochs: Optional[int] = None,
        learning_rate: Optional[float] = None,
        resamples: Optional[int] = None,
        random_model: Optional[bool] = None,
        vectors: Optional[PathLike] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Train a small model that reads dependency trees off attention, and compare it with baselines.

        Needs trees (`conllu`). The result (Clark et al. 2019, table 3): "probes" with the share of words, punctuation
        left out, whose head is found in sentences that were not trained on: by weighted sums of attention, by these
        with weights that depend on the words (the model's own embeddings), by distance and words alone, by the best
        single head, and by fixed offsets; with `vectors` by word vectors in the place of embeddings, with
        `random_model` by attention of random weights; "heads" with the weights of the first.

        Parameters
        ----------
        data
            The data set.
        train_on
            The data set, with trees, that probes are trained on.
        mask
            Heads masked throughout.
        test_share
            Without `train_on`: share of the sentences, drawn by the seed, that accuracies are of; the others are
            trained on (0.01 to 0.99; default: 0.2).
        epochs
            Times that every training sentence is seen (1 to 1,000; default: 1).
        learning_rate
            Learning rate of Adam, a sentence a step (1e-06 to 1.0; default: 0.002).
        resamples
            Resamples of the bootstrap; 0 = no intervals (0 to 10,000,000; default: 1000).
        random_model
            Probes of attention of the same model with random weights as well, which are not trained: what their
            training finds by itself.
        vectors
            Word vectors (GloVe's text format: a word and its numbers in a line; plain, .gz or .xz) for further probes
            of the words, which also take the place of the model's own embeddings for `random_model`.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "probe", whose main table is ``probes``; others that there may be: ``heads``.
        """
        options = {
            "mask": mask,
            "test-share": test_share,
            "epochs": epochs,
            "learning-rate": learning_rate,
            "resamples": resamples,
            "random-model": random_model,
            "vectors": option_path(vectors),
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("probe", data, options, train_on)

    def coreference(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """How often heads attend from a mention to its antecedent, beside baselines that look at words.

        Needs documents with coreference (`conllu` FILE of CoNLL-2012). Of every mention that has an antecedent: does
        its head word attend most, among the head words of the mentions before it, to that of an antecedent (Clark et
        al. 2019, table 2)? The result: "heads" with accuracy, its interval over documents, and accuracy for pronouns,
        names and other nouns; "baselines". Heads are those of the attention that reads the text.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        resamples
            Resamples of the bootstrap over documents; 0 = no intervals (0 to 10,000,000; default: 1000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "coreference", whose main table is ``heads``; others that there may be: ``baselines``.
        """
        options = {
            "mask": mask,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("coreference", data, options)

    def find(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        head: Optional[str] = None,
        token: Optional[str] = None,
        tag: Optional[str] = None,
        offset: Optional[int] = None,
        places: Optional[int] = None,
        own_output: Optional[bool] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Find the sentences in which a head attends most to a token, a part of speech or an offset.

        Needs `head`, and at most one of `token`, `tag` and `offset`; without them attention to any token counts. The
        result: "places", for each example that has such a place the one with the largest weight, in falling order:
        index (row of the data), weight, query and key (positions of the tokens), their spelling, text; "matching":
        how many examples these are; "mean_weight": the mean over them. Queries are never special tokens. `format`
        csv: a line for each place.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        head
            The head: encoder.2.6, cross.1.3.
        token
            Attention to this token, or to this word where it is several tokens, special tokens included ([SEP])
        tag
            Attention to words of this part of speech, such as VERB; needs trees (`conllu`)
        offset
            Attention to the token this far from the one that attends: -1 is the previous one; of cross-attention,
            from the diagonal (-1,000 to 1,000).
        places
            Most sentences that are listed (1 to 100,000; default: 50).
        own_output
            Force the decoder to the model's own greedy output, not to the references (always done without references)
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "find", whose main table is ``places``.
        """
        options = {
            "mask": mask,
            "head": head,
            "token": token,
            "tag": tag,
            "offset": offset,
            "places": places,
            "own-output": own_output,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("find", data, options)

    def energy(
        self,
        data: Dataset,
        *,
        centred: Optional[bool] = None,
        sentences: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """How many dimensions query and key projections use; what of the scores is the same for every query.

        Cordonnier et al. 2020, sections 2 and 3.3. The result: "layers" with energy curves of the concatenated
        projections, of their product (which needs a third of its dimensions, as the paper has it: share_90, share_95,
        share_99), of the tensor's unfoldings, and of normal numbers in the same shapes; "heads" with their own, and
        content and context: shares of their scores' variance over keys (content comes from query biases, is the same
        for every query, and plus context and twice their covariance is 1; none with rotary positions);
        "key_bias_change"; "parts": scores of the model with context or content alone. `format` csv: a line per
        matrix.

        Parameters
        ----------
        data
            The data set.
        centred
            Take the mean out of every dimension of a head first, as a principal component analysis does.
        sentences
            Examples that content, context and key biases are looked at on; 0 = all (at least 0; default: 64).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "energy", whose main table is ``layers.curves``; others that there may be: ``heads``,
            ``heads.curves``, ``layers``, ``layers.random``, ``parts``.
        """
        options = {
            "centred": centred,
            "sentences": sentences,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("energy", data, options)

    def collaborate(
        self,
        data: Dataset,
        *,
        also_on: Optional[Dataset] = None,
        ranks: Optional[Sequence[int]] = None,
        kinds: Optional[Sequence[Literal["encoder", "cross", "decoder"]]] = None,
        methods: Optional[Sequence[Literal["cp", "svd"]]] = None,
        prune: Optional[Sequence[int]] = None,
        iterations: Optional[int] = None,
        tolerance: Optional[float] = None,
        ridge: Optional[float] = None,
        restarts: Optional[int] = None,
        published_scale: Optional[bool] = None,
        mixing: Optional[bool] = None,
        sentences: Optional[int] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Share query and key projections between heads, and score the model with fewer dimensions.

        Cordonnier et al. 2020: collaborative attention by tensor decomposition. The result: "points", the whole model
        first, then one for every method and width, with parameters, score_parameters, compression (of query and key
        projections), break_even (the length in tokens up to which scores cost fewer multiply-adds: every head
        multiplies all shared columns), multiply_adds (of the scores of a sequence of "length" tokens), seconds (of
        factorization), error, logit_error, divergence, score, delta, other_score, on_front (whether no other point
        has as few parameters and as good a score, and one of them better), and "layers". With `prune`, points without
        sharing as well, and both orders. `export` DIR writes the model with the first of `ranks`, by the first of
        `methods`. `format` csv: a line per point.

        Parameters
        ----------
        data
            The data set.
        also_on
            Score this data set, too: out-of-domain data for instance.
        ranks
            Columns of the shared query and key projections; default: 3/4, 1/2, 1/3 and 1/6 of those that all heads of
            an attention have together.
        kinds
            Some of encoder, cross, decoder. Attentions that share (default: all)
        methods
            Some of cp, svd. cp: the sum of products that is nearest to all heads together; svd: the largest singular
            triplets of single heads, which share nothing (default: both)
        prune
            Remove this many heads as well, the least important of the full model first: before sharing, after it, and
            without sharing.
        iterations
            Most iterations of alternating least squares (1 to 1,000,000; default: 200).
        tolerance
            Stop when an iteration reduces the relative error by less (0.0 to 1.0; default: 1e-06).
        ridge
            Regularisation of the normal equations: added to the diagonal, relative to its mean (0.0 to 1.0; default:
            1e-08).
        restarts
            Restarts from random factors, besides the start from single heads; the best fit counts (0 to 1,000,000;
            default: 1).
        published_scale
            Divide scores as the published code does, by the root of the width by the number of heads; heads were
            trained with the root of their own width.
        mixing
            Keep the mixing matrices.
        sentences
            Examples that scores and attention are compared on; 0 = all (at least 0; default: 32).
        resamples
            Resamples for the bootstrap intervals of scores; 0 = none (0 to 10,000,000; default: 1000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "collaborate", whose main table is ``points``; others that there may be: ``points.layers``.
        """
        options = {
            "ranks": ranks,
            "kinds": kinds,
            "methods": methods,
            "prune": prune,
            "iterations": iterations,
            "tolerance": tolerance,
            "ridge": ridge,
            "restarts": restarts,
            "published-scale": published_scale,
            "mixing": mixing,
            "sentences": sentences,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("collaborate", data, options, also_on)

    def speed(
        self,
        data: Dataset,
        *,
        mask: Optional[Heads] = None,
        fraction: Optional[float] = None,
        batch_sizes: Optional[Sequence[int]] = None,
        lengths: Optional[Sequence[Literal["bucketed", "as-is", "fixed"]]] = None,
        examples: Optional[int] = None,
        repeats: Optional[int] = None,
        warm_up: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Measure the speed of the full model, of the masked model and of the model with heads removed.

        Parameters
        ----------
        data
            The data set.
        mask
            Heads masked throughout.
        fraction
            Without `mask`: share of heads removed, the least important first (0.0 to 1.0; default: 0.5).
        batch_sizes
            Examples in a batch (default: 1, 4, 16, 64).
        lengths
            Some of bucketed, as-is, fixed. How batches are made: of similar length (bucketed), in the data's order
            (as-is), all padded to the longest (fixed) (default: bucketed, as-is).
        examples
            Measured in each repeat, drawn by the seed; 0 = all (at least 0; default: 256).
        repeats
            How often everything is measured (1 to 1,000,000; default: 5).
        warm_up
            Unmeasured batches of each model before every measurement (0 to 1,000,000; default: 10).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "speed", whose main table is ``rows``.
        """
        options = {
            "mask": mask,
            "fraction": fraction,
            "batch-sizes": batch_sizes,
            "lengths": lengths,
            "examples": examples,
            "repeats": repeats,
            "warm-up": warm_up,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("speed", data, options)

    def dynamics(
        self,
        data: Dataset,
        *,
        order_on: Optional[Dataset] = None,
        runs: Optional[PathLike] = None,
        checkpoints: Optional[Sequence[int]] = None,
        log_spaced: Optional[int] = None,
        kinds: Optional[Sequence[Literal["encoder", "cross", "decoder"]]] = None,
        reduction: Optional[Literal["token", "example", "batch", "fisher"]] = None,
        normalize: Optional[Literal["none", "layer", "global", "bertology"]] = None,
        batch_examples: Optional[int] = None,
        example_loss: Optional[Literal["sum", "mean"]] = None,
        curves_only: Optional[bool] = None,
        roles: Optional[bool] = None,
        spread: Optional[bool] = None,
        keep: Optional[PathLike] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Follow heads over training: importance, ablation and pruning of every checkpoint.

        The result: "checkpoints" by their numbers, each with score (of the full model), heads (importance, delta,
        confidence, roles) and curve (pruned, fraction, score, and relative: score by that of the same checkpoint). Of
        a run with gates (l0, subset) everything is measured without the heads that were closed at a checkpoint
        (closed), and checkpoints with closed heads have no curve. `model` opens the last checkpoint unless it is
        given. Results of checkpoints are kept by the hash of their weights (`keep`): the same command goes on where
        it was stopped. `format` csv: lines of curves, heads and spreads, told apart by the column "what".

        Parameters
        ----------
        data
            The data set.
        order_on
            Estimate importance, and with it the order of pruning, on this data set.
        runs
            The folder with the checkpoints: epoch-001, checkpoint-500, step1000, ...; or of Hugging Face's cache the
            folder of a model (models`org__name`), whose fetched branches they are.
        checkpoints
            Only those with these numbers; default: all.
        log_spaced
            So many of them, about equally far apart in the logarithms of their numbers, with the first and the last;
            one with the number 0 comes besides; 0 = all (at least 0).
        kinds
            Some of encoder, cross, decoder. Candidates of pruning (default: all)
        reduction
            One of token, example, batch, fisher. The reduction of importance, as in `importance` (default: token).
        normalize
            One of none, layer, global, bertology. The normalisation of importance, as in `importance` (default:
            layer).
        batch_examples
            The batches of importance, as in `importance` (at least 0).
        example_loss
            One of sum, mean. The loss of importance, as in `importance` (default: sum).
        curves_only
            Skip ablation and confidence, which take longer than the rest together.
        roles
            Roles of heads at each checkpoint, as in `roles`.
        spread
            How far the heads of a layer are apart at each checkpoint, as in `similarity`.
        keep
            Folder in which the results of each checkpoint are kept, so that none is computed twice; default: in the
            user's folder for what can be made anew, for 90 days.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "dynamics", whose main table is ``checkpoints.curve`` (where it is empty, ``checkpoints.heads``);
            others that there may be: ``checkpoints``, ``checkpoints.heads``, ``checkpoints.heads.roles``,
            ``checkpoints.spreads``.
        """
        options = {
            "runs": option_path(runs),
            "checkpoints": checkpoints,
            "log-spaced": log_spaced,
            "kinds": kinds,
            "reduction": reduction,
            "normalize": normalize,
            "batch-examples": batch_examples,
            "example-loss": example_loss,
            "curves-only": curves_only,
            "roles": roles,
            "spread": spread,
            "keep": option_path(keep),
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("dynamics", data, options, order_on)

    def detect(
        self,
        *,
        length: Optional[int] = None,
        sequences: Optional[int] = None,
        threshold: Optional[float] = None,
        copying_threshold: Optional[float] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Find induction, previous-token, duplicate-token, first-token and copying heads on random tokens.

        No data set is needed: the sequences are random tokens, twice in succession, the same for all models with the
        same vocabulary. The result: "heads" with "labels" and "detectors": score with interval over sequences, p
        (one-sided t-test over sequences that the score is no more than `threshold`) and p_adjusted (Holm over all
        heads and detectors); a label has p_adjusted of 0.05 at most. "keys" and "weights" are the evidence: where a
        labelled head looks in the first sequence ("tokens"). `format` csv: a line per head and detector.

        Parameters
        ----------
        length
            Random tokens that are repeated; fewer where the model has not as many positions or tokens (2 to
            268,435,456; default: 50).
        sequences
            Generated sequences, which intervals and p are over (2 to 1,000,000; default: 32).
        threshold
            Mean attention to a detector's key that a head must have more of to be labelled (0.0 to 1.0; default:
            0.3).
        copying_threshold
            Share of queries at which the attended token must gain, for the label copying (0.0 to 1.0; default: 0.75).
        resamples
            Resamples of the bootstrap; 0 = no intervals (0 to 10,000,000; default: 1000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "detect", whose main table is ``heads.detectors``; others that there may be: ``heads``.
        """
        options = {
            "length": length,
            "sequences": sequences,
            "threshold": threshold,
            "copying-threshold": copying_threshold,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("detect", None, options)

    def functions(
        self,
        *,
        tasks: Optional[str] = None,
        template: Optional[str] = None,
        prompt_start: Optional[Literal["none", "bos"]] = None,
        shots: Optional[int] = None,
        mean_prompts: Optional[int] = None,
        prompts: Optional[int] = None,
        top: Optional[int] = None,
        held_out: Optional[float] = None,
        sets: Optional[int] = None,
        least_effect: Optional[float] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Find the heads that carry the task which examples in a prompt show, and their function vector.

        No data set is needed: four tasks come with the program, and `tasks` takes tables. The result: "heads" with
        "effect" (what a head's mean context behind right examples adds to the probability of the right output behind
        examples with shuffled outputs), interval over prompts, p (two-sided, that it is zero) and p_bh
        (Benjamini-Hochberg over all heads); "function_head" is the label. "layers": accuracy of held-out pairs when
        the sum of the top heads' mean outputs is added behind a layer, without examples and with shuffled ones.
        "masking": accuracy behind examples without the top heads, and without random ones of the same layers.
        `format` csv: a line per head and task, then per layer, then of masking.

        Parameters
        ----------
        tasks
            Tasks, separated by commas: opposites, plurals, capitals, past-tense, or tables (.csv, .tsv, .jsonl) with
            the columns input and output (default: opposites,plurals,capitals,past-tense).
        template
            How a pair becomes an example of a prompt, "\n" being a new line; the question is all that stands before
            {output} (default: Q: {input}\nA: {output}\n\n).
        prompt_start
            One of none, bos. Token that prompts begin with: bos (the model's first token, else its end token) or none
            (only what its tokenizer begins texts with) (default: bos).
        shots
            Examples of a prompt (1 to 1,000,000; default: 10).
        mean_prompts
            Prompts of each task that a head's mean context is of (1 to 1,000,000; default: 100).
        prompts
            Prompts of each task with shuffled outputs that effects of heads are measured on (1 to 1,000,000; default:
            25).
        top
            Heads with the largest effects that the vector is the sum of (1 to 1,000,000; default: 10).
        held_out
            Share of a task's pairs that prompts never show, which the vector is tried on (0.0 to 1.0; default: 0.4).
        sets
            Sets of random heads that the top heads are compared with (1 to 1,000,000; default: 5).
        least_effect
            Change of the probability that a head must make to be labelled (0.0 to 1.0; default: 0.01).
        resamples
            Resamples of the bootstrap; 0 = no intervals (0 to 10,000,000; default: 10000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "functions", whose main table is ``heads``; others that there may be: ``layers``, ``tasks``.
        """
        options = {
            "tasks": tasks,
            "template": template,
            "prompt-start": prompt_start,
            "shots": shots,
            "mean-prompts": mean_prompts,
            "prompts": prompts,
            "top": top,
            "held-out": held_out,
            "sets": sets,
            "least-effect": least_effect,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("functions", None, options)

    def retrieval(
        self,
        *,
        needles: Optional[PathLike] = None,
        haystack: Optional[PathLike] = None,
        template: Optional[str] = None,
        prompt_start: Optional[Literal["none", "bos"]] = None,
        lengths: Optional[Sequence[int]] = None,
        depths: Optional[int] = None,
        needles_each: Optional[int] = None,
        threshold: Optional[float] = None,
        count_wrong: Optional[bool] = None,
        top: Optional[int] = None,
        sets: Optional[int] = None,
        resamples: Optional[int] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Find the heads that copy a fact hidden in a long text into the answer.

        No data set is needed: needles and a text come with the program, and `needles` and `haystack` take others. The
        result: "heads" with "score" (share of the answer's tokens that the model says while the head's largest weight
        is on them; runs with a wrong answer are left out), interval over needles, p (one-sided t-test over needles
        that the score is no more than `threshold`) and p_adjusted (Holm over all heads); "retrieval_head" is the
        label. "question_score": how much more the question looks at the needle than a null question does. "masking":
        right answers without the top heads, and without random ones of the same layers. "pattern RESULT" writes
        scores for DuoAttention, Retrieval_Head and HeadKV. `format` csv: a line per head, then of answers.

        Parameters
        ----------
        needles
            Facts to hide: a table (.csv, .tsv, .jsonl) with the columns needle, question and answer; default: 20
            invented ones.
        haystack
            Running text that needles are hidden in, again from its beginning where it is too short; default: a text
            of the program.
        template
            How text and question become a prompt, "\n" being a new line: {context} and, behind it, {question}. A chat
            model needs its marks around them (default: {context}\nBased on the content of the book, Question:
            {question}\nAnswer:).
        prompt_start
            One of none, bos. Token that prompts begin with: bos (the model's first token, else its end token) or none
            (only what its tokenizer begins texts with) (default: bos).
        lengths
            Tokens of prompts, at most; fewer where the model has not as many positions (default: 256, 512).
        depths
            Places of needles in a text, evenly from its beginning to its end; 1: in the middle (1 to 1,000,000;
            default: 5).
        needles_each
            Needles at each length and depth, all needles in turn; 0 = all (0 to 1,000,000; default: 2).
        threshold
            Mean score that a head must have more of to be labelled (0.0 to 1.0; default: 0.1).
        count_wrong
            Scores are means over runs with a wrong answer, too.
        top
            Heads with the largest scores that are masked together; 0 = none are masked (0 to 1,000,000; default: 10).
        sets
            Sets of random heads that the top heads are compared with (1 to 1,000,000; default: 3).
        resamples
            Resamples of the bootstrap; 0 = no intervals (0 to 10,000,000; default: 10000).
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "retrieval", whose main table is ``heads``; others that there may be: ``needles``, ``runs``.
        """
        options = {
            "needles": option_path(needles),
            "haystack": option_path(haystack),
            "template": template,
            "prompt-start": prompt_start,
            "lengths": lengths,
            "depths": depths,
            "needles-each": needles_each,
            "threshold": threshold,
            "count-wrong": count_wrong,
            "top": top,
            "sets": sets,
            "resamples": resamples,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("retrieval", None, options)

    def weights(
        self,
        *,
        without_composition: Optional[bool] = None,
        values: Optional[bool] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Find what the weights of heads copy, match and compose with, without any data: OV and QK circuits.

        Elhage et al. 2021. No data set is needed. The result: "heads" with "ov" (what a head writes for what it
        reads) and "qk" (its scores): norm, effective_rank, eigenvalue_score (the sum of eigenvalues by that of their
        absolute values: near 1 a head copies, or attends to what is like the query), vocabulary_score (the same from
        tokens to tokens) and bias_norm; "composition": how much of what earlier heads write each head's queries, keys
        and values read, beside that of random matrices ("random"). Weights of norms are folded into what reads
        through them; with rotary positions QK is that of distance 0 ("rotary"). `format` csv: a line per head.

        Parameters
        ----------
        without_composition
            Leave the composition of pairs of heads out.
        values
            All singular values and eigenvalues of every head.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "weights", whose main table is ``heads``; others that there may be: ``composition``, ``random``.
        """
        options = {
            "without-composition": without_composition,
            "values": values,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("weights", None, options)

    def tokens(
        self,
        *,
        token: Optional[str] = None,
        token_id: Optional[int] = None,
        directions: Optional[int] = None,
        top: Optional[int] = None,
        heads: Optional[str] = None,
        beams: Optional[int] = None,
        length_penalty: Optional[float] = None,
        max_length: Optional[int] = None,
        max_new_tokens: Optional[int] = None,
        stop: Optional[str] = None,
        task: Optional[str] = None,
        metric: Optional[str] = None,
        batch_tokens: Optional[int] = None,
        seed: Optional[int] = None,
        products: Optional[Literal["auto", "library", "exact", "split", "half", "byte"]] = None,
        memory: Optional[int] = None,
        plain: Optional[bool] = None,
    ) -> Result:
        """Find the tokens that the weights of heads read, write and match, without any data.

        Elhage et al. 2021, Millidge and Black 2022. No data set is needed. The result: "heads" with "ov" and "qk":
        the largest singular directions with the tokens at both ends ("from": what it reads, or queries; "to": what it
        writes, or keys). With `token` or `token_id` also "writes", the logits that the head raises and lowers where
        it attends to the token, and "matches", the keys that the token looks for as a query. Values are less the mean
        over all tokens; weights of norms are folded in as by `weights`, and biases and positions left out; with
        rotary positions QK is that of distance 0 ("rotary"). `format` csv: a line per head, end and token.

        Parameters
        ----------
        token
            Tokens of this text: which tokens heads write for them, and which keys match them as queries; most words
            begin with a blank.
        token_id
            The same of a row of the table of embeddings, counted from 0 (0 to 1,099,511,627,776).
        directions
            Singular directions of OV and QK of every head, the largest first (0 to 1,024; default: 3).
        top
            Tokens at each end (1 to 1,000; default: 10).
        heads
            Only these heads: decoder.0.3,decoder.1.2; default: all.
        beams
            Beams, 1 = greedy; default: the model's own setting (1 to 1,024).
        length_penalty
            Length penalty of beam search; default: the model's own setting.
        max_length
            Most tokens of an output, the start token counted; default: the model's own setting (2 to 1,073,741,824).
        max_new_tokens
            Most tokens that follow a prompt, or of a translation; of running text, `predict` continues each text with
            as many. Default: the model's own setting, else 20 (1 to 1,073,741,823).
        stop
            Text at which what follows a prompt ends, and which is no part of it; \n is a new line, and the default.
            Several as a list: ["\n", "."]; [] for none.
        task
            A task that config.json has settings for ("task_specific_params"): their beams, lengths and prefix;
            `inspect` lists them.
        metric
            Metric by which heads are judged: accuracy, F1, Matthews, loss, BLEU, chrF2, perplexity, ... (in any case;
            MCC and chrF too); default: the task's first.
        batch_tokens
            Source tokens in a batch, padding included; default: 1024, on a GPU 8192 (1 to 1,073,741,824).
        seed
            Seed of all random numbers (at least 0; default: 12345).
        products
            One of auto, library, exact, split, half, byte. Matrix products of fast paths: byte (int8), half (bf16),
            split (bf16 in two parts), exact (f32), library (LibTorch's f32, padded batches). Decisions always equal
            those of f32: doubtful ones are computed again (default: auto).
        memory
            Memory for the states that fast paths keep, in addition to the model; default: 2GiB.
        plain
            Switch off every fast path.

        Returns
        -------
        Result
            Of kind "tokens", whose main table is ``heads.writes.highest`` (where it is empty,
            ``heads.ov.to.highest``); others that there may be: ``heads``, ``heads.matches``,
            ``heads.matches.highest``, ``heads.matches.lowest``, ``heads.ov``, ``heads.ov.from.highest``,
            ``heads.ov.from.lowest``, ``heads.ov.to.highest``, ``heads.ov.to.lowest``, ``heads.qk``,
            ``heads.qk.from.highest``, ``heads.qk.from.lowest``, ``heads.qk.to.highest``, ``heads.qk.to.lowest``,
            ``heads.writes``, ``heads.writes.lowest``, ``tokens``.
        """
        options = {
            "token": token,
            "token-id": token_id,
            "directions": directions,
            "top": top,
            "heads": heads,
            "beams": beams,
            "length-penalty": length_penalty,
            "max-length": max_length,
            "max-new-tokens": max_new_tokens,
            "stop": stop,
            "task": task,
            "metric": metric,
            "batch-tokens": batch_tokens,
            "seed": seed,
            "products": products,
            "memory": memory,
            "plain": plain,
        }
        return self._call("tokens", None, options)
