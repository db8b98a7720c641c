#include "app/cli/cli.h"
#include "core/base/process.h"

int main(int argc, char **argv)
{
    headscope::setUpProcess();
    headscope::endProcess(headscope::cli::run(argc, argv));
}
