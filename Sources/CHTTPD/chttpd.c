#define _GNU_SOURCE
#include "hooks.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A daemon with its callbacks.
struct chttpd_daemon {
    chttpd_callbacks callbacks;
    struct MHD_Daemon *daemon;
};

static enum MHD_Result on_access(
    void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *body, size_t *size, void **request) {
    const chttpd_callbacks *callbacks = context;
    chttpd_line line = {method, url, version};
    chttpd_verdict verdict =
        callbacks->access(callbacks->context, connection, line, body, size, *request);
    return verdict == CHTTPD_CONTINUE ? MHD_YES : MHD_NO;
}

static void *on_target(void *context, const char *target, struct MHD_Connection *connection) {
    const chttpd_callbacks *callbacks = context;
    void *request = callbacks->request_began(callbacks->context, connection, target);
    // After this callback, the library would store each parameter of the query in the connection's
    // memory. To save that memory, the query is cut off here, behind the `?`.
    char *query = strchr(target, '?');
    if (query != NULL && query[1] != '\0') query[1] = '\0';
    return request;
}

static void on_completed(
    void *context, struct MHD_Connection *connection, void **request,
    enum MHD_RequestTerminationCode code) {
    (void)connection;
    const chttpd_callbacks *callbacks = context;
    void *ended = *request;
    *request = NULL;
    if (ended == NULL) return;
    callbacks->request_ended(
        callbacks->context, ended, code == MHD_REQUEST_TERMINATED_COMPLETED_OK);
}

static void on_connection(
    void *context, struct MHD_Connection *connection, void **socket_context,
    enum MHD_ConnectionNotificationCode code) {
    const chttpd_callbacks *callbacks = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *socket_context = callbacks->connection_opened(callbacks->context, connection);
    } else {
        void *closed = *socket_context;
        *socket_context = NULL;
        callbacks->connection_closed(callbacks->context, closed);
    }
}

/// Leaves the request target percent-encoded. The server decodes the target, because an encoded NUL
/// or slash has another meaning than a plain NUL or slash.
static size_t keep_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

__attribute__((format(printf, 2, 0)))
static void on_log(void *context, const char *format, va_list arguments) {
    const chttpd_callbacks *callbacks = context;
    char line[512];
    vsnprintf(line, sizeof line, format, arguments);
    callbacks->log(callbacks->context, line);
}

chttpd_daemon *chttpd_start(
    const chttpd_callbacks *callbacks, size_t connection_bytes, unsigned connections_max,
    unsigned idle_seconds) {
    chttpd_daemon *daemon = calloc(1, sizeof *daemon);
    if (daemon == NULL) return NULL;
    daemon->callbacks = *callbacks;
    void *context = &daemon->callbacks;
    // Without TURBO, the library would shut a socket down when it closes its descriptor. The stream
    // that uses a duplicate of the descriptor would then end.
    daemon->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET
            | MHD_USE_ERROR_LOG,
        0, NULL, NULL, on_access, context,
        MHD_OPTION_EXTERNAL_LOGGER, on_log, context,
        MHD_OPTION_CONNECTION_LIMIT, connections_max,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, connection_bytes,
        MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, context,
        MHD_OPTION_UNESCAPE_CALLBACK, keep_escaped, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, context,
        MHD_OPTION_END);
    if (daemon->daemon == NULL) {
        free(daemon);
        return NULL;
    }
    return daemon;
}

int chttpd_descriptor(chttpd_daemon *daemon) {
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(daemon->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

int chttpd_timeout(chttpd_daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG milliseconds = 0;
    if (MHD_get_timeout(daemon->daemon, &milliseconds) != MHD_YES) return -1;
    return milliseconds > 60000 ? 60000 : (int)milliseconds;
}

void chttpd_run(chttpd_daemon *daemon) {
    const chttpd_callbacks *before = chttpd_set_hooks(&daemon->callbacks);
    (void)MHD_run(daemon->daemon);
    (void)chttpd_set_hooks(before);
}

int chttpd_add(
    chttpd_daemon *daemon, int descriptor, const struct sockaddr *address, socklen_t length) {
    const chttpd_callbacks *before = chttpd_set_hooks(&daemon->callbacks);
    enum MHD_Result added = MHD_add_connection(daemon->daemon, descriptor, address, length);
    (void)chttpd_set_hooks(before);
    return added == MHD_YES;
}

void chttpd_stop(chttpd_daemon *daemon) {
    MHD_stop_daemon(daemon->daemon);
    free(daemon);
}

int chttpd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info == NULL ? -1 : info->connect_fd;
}

void *chttpd_connection_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info == NULL ? NULL : info->socket_context;
}

/// The fields that `add_field` has collected, and the end of the bytes that belong to them.
struct field_list {
    chttpd_field *fields;
    size_t max;
    size_t count;
    /// The end of the request line or of the last field. The library has overwritten the line end
    /// there with NUL.
    const char *end;
    int has_hidden_bytes;
};

static enum MHD_Result add_field(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_length,
    const char *value, size_t value_length) {
    (void)kind;
    struct field_list *list = context;
    // A line end has one byte or two; more bytes between two fields are hidden bytes.
    list->has_hidden_bytes |= (uintptr_t)name - (uintptr_t)list->end - 1 > 1;
    list->end = value + value_length;
    // The library may have replaced the white space behind the value with NUL already.
    while (value_length > 0
           && (value[value_length - 1] == ' ' || value[value_length - 1] == '\t'
               || value[value_length - 1] == '\0')) {
        value_length -= 1;
    }
    if (list->count < list->max) {
        list->fields[list->count] = (chttpd_field){name, value, name_length, value_length};
    }
    list->count += 1;
    return MHD_YES;
}

/// Returns 0 if the bytes from `end` to the end of the header are exactly two line ends, else 1.
static int hides_behind(const char *end, const char *header_end) {
    uintptr_t count = (uintptr_t)header_end - (uintptr_t)end;
    if (count < 2 || count > 4) return 1;
    for (uintptr_t index = 0; index < count; index += 1) {
        if (end[index] != '\0') return 1;
    }
    return 0;
}

size_t chttpd_fields(
    struct MHD_Connection *connection, chttpd_line line, size_t target_length, chttpd_field *fields,
    size_t max, int *has_hidden_bytes) {
    struct field_list list = {fields, max, 0, line.version + strlen(line.version), 0};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, add_field, &list);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    *has_hidden_bytes = list.has_hidden_bytes
        || line.target != line.method + strlen(line.method) + 1
        || line.version != line.target + target_length + 1
        || info == NULL || hides_behind(list.end, line.method + info->header_size);
    return list.count;
}

static enum MHD_Result add_fields(struct MHD_Response *response, const char *name, size_t count) {
    enum MHD_Result taken = MHD_YES;
    for (size_t index = 0; index < count && taken == MHD_YES; index += 1) {
        const char *value = name + strlen(name) + 1;
        taken = MHD_add_response_header(response, name, value);
        name = value + strlen(value) + 1;
    }
    return taken;
}

static int respond(
    struct MHD_Connection *connection, chttpd_response_head head, struct MHD_Response *response) {
    if (response == NULL) return 0;
    enum MHD_Result taken = add_fields(response, head.common, head.common_count);
    if (taken == MHD_YES) taken = add_fields(response, head.fields, head.field_count);
    if (taken == MHD_YES && head.closes) {
        taken = MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    }
    if (taken == MHD_YES) taken = chttpd_queue(connection, head.status, response);
    MHD_destroy_response(response);
    return taken == MHD_YES;
}

int chttpd_respond_copy(
    struct MHD_Connection *connection, chttpd_response_head head, const void *body, size_t length) {
    // The library does not write to the body. Its parameter lacks const for old callers.
    struct MHD_Response *response = MHD_create_response_from_buffer(
        length, (void *)(uintptr_t)body, length == 0 ? MHD_RESPMEM_PERSISTENT : MHD_RESPMEM_MUST_COPY);
    return respond(connection, head, response);
}

int chttpd_respond_shared(
    struct MHD_Connection *connection, chttpd_response_head head, const void *body, size_t length,
    void (*release)(void *owner), void *owner) {
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        length, (void *)(uintptr_t)body, release, owner);
    if (response == NULL) release(owner);
    return respond(connection, head, response);
}

/// The size of a block of a body. For a much larger block, malloc() would call the kernel.
static const size_t block_bytes = 64 << 10;

int chttpd_respond_read(
    struct MHD_Connection *connection, chttpd_response_head head, size_t length,
    ssize_t (*read)(void *owner, uint64_t offset, char *to, size_t max),
    void (*release)(void *owner), void *owner) {
    struct MHD_Response *response =
        MHD_create_response_from_callback(length, block_bytes, read, owner, release);
    if (response == NULL) release(owner);
    return respond(connection, head, response);
}

struct MHD_Response *chttpd_response_make(void *body, size_t length) {
    return MHD_create_response_from_buffer_with_free_callback_cls(
        length, body, free, body);
}

int chttpd_response_add(struct MHD_Response *response, const char *name, const char *value) {
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

int chttpd_response_remove(struct MHD_Response *response, const char *name, const char *value) {
    return MHD_del_response_header(response, name, value) == MHD_YES;
}

int chttpd_respond(
    struct MHD_Connection *connection, unsigned status, struct MHD_Response *response) {
    return chttpd_queue(connection, status, response) == MHD_YES;
}

static void (*panic_hook)(const char *reason);

static void on_panic(void *context, const char *file, unsigned line, const char *reason) {
    (void)context;
    (void)file;
    (void)line;
    if (panic_hook != NULL) panic_hook(reason);
    abort();
}

void chttpd_set_panic(void (*panic)(const char *reason)) {
    // The library has one panic function for the whole process, and the first caller sets it.
    void (*none)(const char *) = NULL;
    if (__atomic_compare_exchange_n(
            &panic_hook, &none, panic, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        MHD_set_panic_func(on_panic, NULL);
    }
}

int chttpd_accept(int listener, struct sockaddr_storage *address, socklen_t *length) {
    *length = sizeof *address;
    return accept4(
        listener, (struct sockaddr *)address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
