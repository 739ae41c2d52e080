#include "chttpd.h"
