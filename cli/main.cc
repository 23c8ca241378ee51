// sonde: the program. Each sub-command has a file of its own.

#include "cli/command.h"

int main(int argc, char** argv) {
  sonde::cli::Program program;
  return program.Run(argc, argv);
}
