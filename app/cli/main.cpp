#include "app/cli/cli.h"

int main(int argc, char **argv) { return headscope::cli::run(argc, argv); }
