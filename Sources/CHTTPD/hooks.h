#ifndef CHTTPD_HOOKS_H
#define CHTTPD_HOOKS_H

#include "chttpd.h"

#include <microhttpd.h>

/// Has the library's calls to the functions of hooks.c go to `callbacks` while this thread runs a
/// daemon of ours; `NULL` ends that. Returns what was set before.
const chttpd_callbacks *chttpd_hook(const chttpd_callbacks *callbacks);

/// The library's own `MHD_queue_response`.
enum MHD_Result chttpd_queue(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response);

#endif
