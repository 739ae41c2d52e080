// Definitions of two of libmicrohttpd's public functions, which take the place of its own. The
// library calls both by their names, as any program does, and a dynamic linker takes the first
// definition that it finds. Both definitions do the same as the library's own, except while a
// thread runs a daemon of this module. If the library's calls are bound to its own functions, these
// are not called, and a probe at the start finds that out.

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

static _Thread_local const chttpd_callbacks *running;

const chttpd_callbacks *chttpd_hook(const chttpd_callbacks *callbacks) {
    const chttpd_callbacks *before = running;
    running = callbacks;
    return before;
}

/// The library's own definitions, set before `main`. They exist, because the library is linked.
static queue_function *library_queue;
static lookup_function *library_lookup;

static void *library(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) abort();
    return found;
}

__attribute__((constructor)) static void bind_library(void) {
    library_queue = (queue_function *)library("MHD_queue_response");
    library_lookup = (lookup_function *)library("MHD_lookup_connection_value_n");
}

enum MHD_Result chttpd_queue(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
    return library_queue(connection, status, response);
}

/// Calls the callback in place of an answer that the library makes by itself. The callback sends
/// the last bytes that go out on the socket. The library's own answer is queued all the same,
/// because some of the function's callers do not bear a connection that is closed meanwhile; the
/// library notices the end when it sends. The library's answer is HTML, and has two heads if the
/// fault is in a complete header.
enum MHD_Result MHD_queue_response(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    if (running != NULL) {
        running->refused(running->context, connection, status);
    }
    return chttpd_queue(connection, status, response);
}

static int is_space(char byte) {
    return byte == ' ' || byte == '\t';
}

/// Cuts off the white space behind a value if a daemon of this module runs. Returns the new size.
__attribute__((noinline)) static size_t trim(const char *text, size_t size) {
    if (running == NULL) return size;
    while (size > 0 && is_space(text[size - 1])) size -= 1;
    // Some callers look for NUL at the end of the text. The text lies in the connection's memory,
    // to which the library writes, so it may be written to here.
    ((char *)(uintptr_t)text)[size] = '\0';
    return size;
}

/// Looks up a field for the library, which compares values to the last byte. White space behind a
/// value does not belong to it (RFC 9110 §5.5), and is cut off first.
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
