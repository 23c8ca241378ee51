// One half of a program that must not link: Asio is tracked here.

#include "sonde/asio.h"

void Untracked();

int main() { Untracked(); }
