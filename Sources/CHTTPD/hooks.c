// Two of libmicrohttpd's public functions, in front of its own: the library calls both from within
// by their names, as any program does, and a dynamic linker takes the first definition that it
// finds. Both do what the library's own do, but while a thread runs a daemon of ours. Where the
// library is bound otherwise, they are not called, and a probe at the start finds that out.

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

/// The definitions behind ours, from before `main` on. There are some: the library is linked.
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

/// What the library answers by itself is answered by the callback, which sends the last bytes that go
/// out on the socket. The library's own answer, HTML, and two heads where it finds the fault in a
/// complete header, is queued all the same: not every place in it bears a connection that is closed
/// meanwhile. It finds out when it sends.
enum MHD_Result MHD_queue_response(
    struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response) {
    if (running != NULL) {
        running->refused(running->context, (chttpd_connection *)connection, status);
    }
    return chttpd_queue(connection, status, response);
}

static int is_space(char byte) {
    return byte == ' ' || byte == '\t';
}

/// Takes the white space off behind a value, where a daemon of ours runs. Returns its size.
__attribute__((noinline)) static size_t trim(const char *text, size_t size) {
    if (running == NULL) return size;
    while (size > 0 && is_space(text[size - 1])) size -= 1;
    // Some of its callers look for the end: in the connection's own memory, which it writes to.
    ((char *)(uintptr_t)text)[size] = '\0';
    return size;
}

/// The library looks up the fields that matter to it and compares them to the last byte. The white
/// space behind a value is no part of it (RFC 9110 §5.5) and is taken off first.
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
