#ifndef CHTTPD_HOOKS_H
#define CHTTPD_HOOKS_H

#include "chttpd.h"

/// Sets the callbacks that the functions of hooks.c call on this thread. The callbacks are set only
/// while the thread runs a daemon. Returns the callbacks that were set before.
const chttpd_callbacks *chttpd_set_hooks(const chttpd_callbacks *callbacks);

/// Calls the library's own `MHD_queue_response`.
enum MHD_Result chttpd_queue(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);

#endif
