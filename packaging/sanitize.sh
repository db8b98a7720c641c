#!/usr/bin/env bash
# Tests under sanitizers: packaging/sanitize.sh [address|thread] [all | TEST ...]
#
# address (without a word, too): address and undefined-behaviour sanitizers over core and command line. thread: the thread sanitizer
# over what runs side by side: engine, session, jobs, the core that serves. Each builds what its tests need into a folder of its own
# (build/dev-asan, build/dev-tsan). On two cores that do nothing else the thread run takes 6 minutes (5 of them to compile, without a
# compiler cache), the address run 18 (8 to compile).
# With names only these tests; `all`: these and every test of the core (label unit).
#
# LibTorch and its libraries are not built with sanitizers: what they do among themselves is not seen, and what the thread sanitizer
# takes for races in them is named in packaging/linux/thread-sanitizer.supp.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

kind=address
case ${1:-} in address | thread)
    kind=$1
    shift
    ;;
esac
if [ "$kind" = address ]; then
    preset=dev-asan gui=OFF # or the command line had the report, which is painted by the window
    tests=(tst_optionsjson tst_textlines tst_safetensors tst_torchfile tst_jsonfile tst_csv tst_atomicfile
        tst_tokenizerparts tst_tokenizerproperties tst_wordpiece tst_bytelevelbpe tst_unigram
        tst_frames tst_wire tst_server tst_executors tst_sweepjournal tst_cliclassifier)
    # Without detect_stack_use_after_return: GCC before 14 lays its frames at 32 bytes (bug 110027), vectors of 64 need more.
    export ASAN_OPTIONS=detect_stack_use_after_return=0:strict_string_checks=1:check_initialization_order=1
    export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
else
    preset=dev-tsan gui=ON
    tests=(tst_frames tst_server tst_execution tst_ablation tst_contingency tst_sweepjournal tst_workers tst_jobqueue)
    export TSAN_OPTIONS="suppressions=$root/packaging/linux/thread-sanitizer.supp:halt_on_error=1:second_deadlock_stack=1:history_size=7"
    # Threads of OpenMP meet at barriers of libgomp, which the sanitizer cannot see.
    export OMP_NUM_THREADS=1
fi
all=false
if [ "${1:-}" = all ]; then
    all=true
elif [ $# != 0 ]; then
    tests=("$@")
fi

build="$root/build/$preset"
cmake --preset "$preset" -S "$root" -B "$build" "-DHEADSCOPE_GUI=$gui" >/dev/null
if $all; then
    mapfile -t -O "${#tests[@]}" tests < <(ctest --test-dir "$build" -N -L '^unit$' -R '^tst_' | sed -n 's/^ *Test *#[0-9]*: //p')
fi
# A test that is run twice, with other instructions the second time, is one program.
mapfile -t programs < <(printf '%s\n' "${tests[@]%_avx2}" | sort -u)
cmake --build "$build" --parallel "${HEADSCOPE_JOBS:-$("$root/packaging/jobs.sh")}" --target "${programs[@]}"
cd "$build"
ctest --output-on-failure -R "^($(
    IFS='|'
    echo "${tests[*]}"
))\$"
