// This file defines two of libmicrohttpd's public functions again. The library itself calls both
// functions by their names, and the dynamic linker takes the first definition that it finds, which
// is the definition here. Both definitions do the same as the library's own definitions, except on
// a thread that runs a daemon of this module.
//
// A library may also be linked so that it calls its own definitions directly. The definitions here
// then have no effect. A probe at the server's start detects that case.

#define _GNU_SOURCE
#include "hooks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef enum MHD_Result queue_function(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response);
typedef enum MHD_Result lookup_function(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *key, size_t key_size,
    const char **value, size_t *value_size);

static _Thread_local const chttpd_callbacks *running_callbacks;

const chttpd_callbacks *chttpd_set_hooks(const chttpd_callbacks *callbacks) {
    const chttpd_callbacks *before = running_callbacks;
    running_callbacks = callbacks;
    return before;
}

/// The library's own definitions. `bind_library` sets both pointers before `main`.
static queue_function *library_queue;
static lookup_function *library_lookup;

static void *library_symbol(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) abort();
    return found;
}

__attribute__((constructor)) static void bind_library(void) {
    library_queue = (queue_function *)library_symbol("MHD_queue_response");
    library_lookup = (lookup_function *)library_symbol("MHD_lookup_connection_value_n");
}

enum MHD_Result chttpd_queue(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
    return library_queue(connection, status, response);
}

/// Calls the callback `refused` when the library is about to answer a request by itself. The
/// callback sends its own answer and shuts down the socket's sending side.
///
/// The library's own answer must not be sent: the answer is HTML, and has two heads if the fault is
/// in a complete header. The answer is queued nevertheless, because some callers of this function
/// fail if the connection is closed meanwhile. When the library sends the answer, the system
/// refuses the bytes, because the socket is shut down.
enum MHD_Result MHD_queue_response(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    if (running_callbacks != NULL) {
        running_callbacks->refused(running_callbacks->context, connection, status);
    }
    return chttpd_queue(connection, status, response);
}

static int is_space(char byte) {
    return byte == ' ' || byte == '\t';
}

/// Cuts off the white space behind a value if this thread runs a daemon of this module. Returns the
/// new size.
__attribute__((noinline)) static size_t trim(const char *text, size_t size) {
    if (running_callbacks == NULL) return size;
    while (size > 0 && is_space(text[size - 1])) size -= 1;
    // Some callers look for NUL at the end of the text. The text is in the connection's memory,
    // which is not constant: the library itself writes to that memory.
    ((char *)(uintptr_t)text)[size] = '\0';
    return size;
}

/// Looks up a field, and cuts off the white space behind its value. That space does not belong to
/// the value (RFC 9110 §5.5), but the library would compare it, too.
enum MHD_Result MHD_lookup_connection_value_n(
    struct MHD_Connection *connection, enum MHD_ValueKind kind, const char *key, size_t key_size,
    const char **value, size_t *value_size) {
    const char *text = NULL;
    size_t size = 0;
    if (library_lookup(connection, kind, key, key_size, &text, &size) != MHD_YES) return MHD_NO;
    if (size > 0 && is_space(text[size - 1])) size = trim(text, size);
    if (value != NULL) *value = text;
    if (value_size != NULL) *value_size = size;
    return MHD_YES;
}
