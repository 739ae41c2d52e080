#ifndef CHTTPD_HOOKS_H
#define CHTTPD_HOOKS_H

#include "chttpd.h"

/// Makes the functions of hooks.c call `callbacks` while this thread runs a daemon; `NULL` ends
/// that. Returns the callbacks that were set before.
const chttpd_callbacks *chttpd_hook(const chttpd_callbacks *callbacks);

/// Calls the library's own `MHD_queue_response`.
enum MHD_Result chttpd_queue(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);

#endif
