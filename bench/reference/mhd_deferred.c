/* A bare libmicrohttpd server that does the necessary work of a store for POST /dispatch, and nothing more.
 *
 * The daemon runs in an epoll loop of this program. The handler suspends every POST. A second thread
 * "reduces" (adds one to a counter), and hands whole batches back with one write to an eventfd. The loop
 * then resumes the requests and answers. There are no checks, no journal and no JSON parser, so a store
 * on the same library in the same mode can hardly be faster.
 *
 *   mhd_deferred PORT
 *
 * mhd_durable.c includes this file, and makes each batch durable before it is answered.
 */
#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { BODY_BYTES_MAX = 4096 };

struct ticket {
    struct MHD_Connection *connection;
    struct ticket *next;
    uint64_t version;
    unsigned body_bytes;
    int suspended;
    char body[BODY_BYTES_MAX];
};

struct queue {
    pthread_mutex_t lock;
    struct ticket *head, **tail;
};

#ifndef DURABLE
enum { ARGUMENTS = 1 };
static const char usage[] = "usage: mhd_deferred PORT\n";
static int open_log(char **arguments) { return (void)arguments, 0; }
static void make_durable(const struct ticket *batch) { (void)batch; }
#else
enum { ARGUMENTS = 3 };
static const char usage[] = "usage: mhd_durable PORT FILE BYTES\n";
static int open_log(char **arguments);
static void make_durable(const struct ticket *batch);
#endif

static struct queue asked = {PTHREAD_MUTEX_INITIALIZER, NULL, &asked.head};
static struct queue done = {PTHREAD_MUTEX_INITIALIZER, NULL, &done.head};
static int asked_event, done_event;

/* Appends a chain of tickets. Returns if the queue was empty. */
static int put(struct queue *queue, struct ticket *head, struct ticket **tail) {
    pthread_mutex_lock(&queue->lock);
    int was_empty = queue->head == NULL;
    *queue->tail = head;
    queue->tail = tail;
    pthread_mutex_unlock(&queue->lock);
    return was_empty;
}

static struct ticket *take_all(struct queue *queue) {
    pthread_mutex_lock(&queue->lock);
    struct ticket *head = queue->head;
    queue->head = NULL;
    queue->tail = &queue->head;
    pthread_mutex_unlock(&queue->lock);
    return head;
}

static void signal_event(int event) {
    uint64_t one = 1;
    if (write(event, &one, sizeof one) != sizeof one) abort();
}

static void *reduce(void *unused) {
    (void)unused;
    uint64_t counter = 0, count;
    for (;;) {
        if (read(asked_event, &count, sizeof count) != sizeof count) abort();
        struct ticket *head = take_all(&asked), **tail = &head;
        if (!head) continue;
        for (struct ticket *ticket = head; ticket; ticket = ticket->next) {
            ticket->version = ++counter;
            tail = &ticket->next;
        }
        make_durable(head);
        if (put(&done, head, tail)) signal_event(done_event);
    }
    return NULL;
}

static enum MHD_Result answer(struct MHD_Connection *connection, uint64_t version) {
    char body[80], etag[40];
    int bytes = snprintf(body, sizeof body, "{\"epoch\":\"4f1c09ab\",\"version\":%llu,\"changed\":true}",
                         (unsigned long long)version);
    snprintf(etag, sizeof etag, "\"4f1c09ab:%llu\"", (unsigned long long)version);
    struct MHD_Response *response =
        MHD_create_response_from_buffer((size_t)bytes, body, MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(response, "Content-Type", "application/json");
    MHD_add_response_header(response, "ETag", etag);
    enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result handle(void *unused, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **state) {
    (void)unused, (void)url, (void)method, (void)version;
    struct ticket *ticket = *state;
    if (!ticket) {
        ticket = malloc(sizeof *ticket);
        if (!ticket) return MHD_NO;
        ticket->connection = connection;
        ticket->next = NULL;
        ticket->body_bytes = 0;
        ticket->suspended = 0;
        *state = ticket;
        return MHD_YES;
    }
    if (*size > 0) {
        if (ticket->body_bytes + *size > BODY_BYTES_MAX) return MHD_NO;
        memcpy(ticket->body + ticket->body_bytes, data, *size);
        ticket->body_bytes += (unsigned)*size;
        *size = 0;
        return MHD_YES;
    }
    if (ticket->suspended) return answer(connection, ticket->version);
    ticket->suspended = 1;
    MHD_suspend_connection(connection);
    if (put(&asked, ticket, &ticket->next)) signal_event(asked_event);
    return MHD_YES;
}

static void completed(void *unused, struct MHD_Connection *connection, void **state,
                      enum MHD_RequestTerminationCode code) {
    (void)unused, (void)connection, (void)code;
    free(*state);
    *state = NULL;
}

int main(int count, char **arguments) {
    if (count != 1 + ARGUMENTS) {
        fputs(usage, stderr);
        return 2;
    }
    if (open_log(arguments) != 0) {
        perror(arguments[2]);
        return 1;
    }
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)atoi(arguments[1])),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    asked_event = eventfd(0, EFD_CLOEXEC);
    done_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct MHD_Daemon *daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_TURBO | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, &handle, NULL,
        MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_NOTIFY_COMPLETED, &completed, NULL,
        MHD_OPTION_CONNECTION_LIMIT, 4096u, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384,
        MHD_OPTION_LISTEN_BACKLOG_SIZE, 4096u, MHD_OPTION_END);
    if (!daemon) {
        fprintf(stderr, "cannot listen on port %s\n", arguments[1]);
        return 1;
    }
    int inner = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
    int outer = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event interest = {.events = EPOLLIN, .data.fd = inner};
    epoll_ctl(outer, EPOLL_CTL_ADD, inner, &interest);
    interest.data.fd = done_event;
    epoll_ctl(outer, EPOLL_CTL_ADD, done_event, &interest);
    pthread_t reducer;
    if (pthread_create(&reducer, NULL, &reduce, NULL) != 0) return 1;
    for (;;) {
        MHD_UNSIGNED_LONG_LONG wait;
        int milliseconds = MHD_get_timeout(daemon, &wait) == MHD_YES ? (int)wait : -1;
        struct epoll_event events[2];
        int ready = epoll_wait(outer, events, 2, milliseconds);
        for (int index = 0; index < ready; index++) {
            if (events[index].data.fd != done_event) continue;
            uint64_t ignored;
            if (read(done_event, &ignored, sizeof ignored) != sizeof ignored) continue;
            struct ticket *next, *ticket = take_all(&done);
            for (; ticket; ticket = next) {
                next = ticket->next;
                MHD_resume_connection(ticket->connection);
            }
        }
        MHD_run(daemon);
    }
}
