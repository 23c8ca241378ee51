// The other half of a program that must not link: Asio is not tracked here.

#include "sonde/asio.h"

void Untracked() {}
