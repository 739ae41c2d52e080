/* Reads the bytes that a server sends to many connections, as cheaply as possible: with one thread and one
 * epoll. The kernel drops the bytes (MSG_TRUNC, tcp(7)), as if the readers were on another machine.
 *
 *   drain PORT COUNT stream PATH [at-once]      open streams
 *   drain PORT COUNT post PATH BODY [HEADER]    requests; each connection sends the next after an answer
 *   drain PORT COUNT get PATH                   the same
 *
 * A '#' in the path stands for the connection's number. Prints "held COUNT" when every stream has answered
 * with status 200; with at-once, and for requests, when every connection has sent its request. For each line
 * on standard input, prints "got ANSWERS BYTES REACHED LEAST" about the time since the last line: the answers
 * to requests, the bytes of all connections, the number of connections that got any bytes, and the fewest
 * bytes of one connection. Ends with 0 when standard input is closed, and with 1 as soon as a connection is
 * refused or lost.
 */
#define _GNU_SOURCE /* strcasestr */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS_MAX = 256, CONNECTIONS_MAX = 19000, HEAD_MAX = 4096, TURN_BYTES = 4 << 20 };

struct connection {
    int descriptor;
    long long bytes;
    long long due; /* the missing bytes of an answer's body; -1 while its head is read */
    int head;
    char *text;
};

static struct connection connections[CONNECTIONS_MAX];
static char request[4096];
static int request_length, repeats;
static long long answers;

static int fail(const char *what, int number) {
    fprintf(stderr, "drain: connection %d: %s (%s)\n", number, what, strerror(errno));
    return 1;
}

static int ask(struct connection *each) {
    each->due = -1;
    each->head = 0;
    return send(each->descriptor, request, (size_t)request_length, MSG_NOSIGNAL) == request_length;
}

/* Reads an answer's head. The bytes after the head belong to the body. */
static int take_head(struct connection *each) {
    ssize_t got = recv(each->descriptor, each->text + each->head, (size_t)(HEAD_MAX - 1 - each->head),
                       MSG_DONTWAIT);
    if (got <= 0) return got < 0 && errno == EAGAIN ? 1 : 0;
    each->bytes += got;
    each->head += (int)got;
    each->text[each->head] = 0;
    char *end = strstr(each->text, "\r\n\r\n");
    if (end == NULL) return each->head < HEAD_MAX - 1;
    if (memcmp(each->text + 9, "200", 3) != 0) return 0;
    char *field = strcasestr(each->text, "\r\nContent-Length:");
    if (field == NULL || field > end) return 0;
    each->due = atoll(field + 17) - (each->text + each->head - (end + 4));
    return 1;
}

static int take(struct connection *each) {
    if (repeats && each->due < 0) {
        if (!take_head(each)) return 0;
    } else {
        size_t wanted = repeats && each->due < TURN_BYTES ? (size_t)each->due : TURN_BYTES;
        ssize_t got = recv(each->descriptor, NULL, wanted, MSG_TRUNC | MSG_DONTWAIT);
        if (got <= 0) return got < 0 && errno == EAGAIN;
        each->bytes += got;
        if (repeats) each->due -= got;
    }
    if (!repeats || each->due != 0) return 1;
    answers++;
    return ask(each);
}

static void report(int count) {
    long long bytes = 0, least = -1;
    int reached = 0;
    for (int number = 0; number < count; number++) {
        struct connection *each = &connections[number];
        bytes += each->bytes;
        reached += each->bytes > 0;
        if (least < 0 || each->bytes < least) least = each->bytes;
        each->bytes = 0;
    }
    printf("got %lld %lld %d %lld\n", answers, bytes, reached, least);
    fflush(stdout);
    answers = 0;
}

int main(int count, char **arguments) {
    int is_post = count >= 6 && strcmp(arguments[3], "post") == 0;
    repeats = is_post || (count == 5 && strcmp(arguments[3], "get") == 0);
    if (!repeats && (count < 5 || strcmp(arguments[3], "stream") != 0)) {
        fprintf(stderr, "usage: drain PORT COUNT stream PATH [at-once] | post PATH BODY [HEADER] | get PATH\n");
        return 2;
    }
    int many = atoi(arguments[2]), at_once = !repeats && count > 5;
    if (many < 1 || many > CONNECTIONS_MAX) return fail("too many", many);
    struct sockaddr_in server = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)atoi(arguments[1])),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const char *path = arguments[4], *mark = strchr(path, '#');
    int before = mark ? (int)(mark - path) : (int)strlen(path);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int number = 0; number < many; number++) {
        struct connection *each = &connections[number];
        char digits[16] = "", bytes[4096];
        each->descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        each->text = repeats ? malloc(HEAD_MAX) : NULL;
        if (each->descriptor < 0 || (repeats && each->text == NULL)) return fail("socket", number);
        if (connect(each->descriptor, (struct sockaddr *)&server, sizeof server) != 0)
            return fail("connect", number);
        if (mark) snprintf(digits, sizeof digits, "%d", number);
        request_length = snprintf(request, sizeof request, "%s %.*s%s%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n",
                                  is_post ? "POST" : "GET", before, path, digits, mark ? mark + 1 : "",
                                  arguments[1]);
        if (is_post)
            request_length += snprintf(
                request + request_length, sizeof request - (size_t)request_length,
                "Content-Type: application/json\r\nContent-Length: %zu\r\n%s%s\r\n%s", strlen(arguments[5]),
                count > 6 ? arguments[6] : "", count > 6 ? "\r\n" : "", arguments[5]);
        else
            request_length += snprintf(request + request_length, 3, "\r\n");
        if (!ask(each)) return fail("send", number);
        if (!repeats && !at_once) {
            /* The program waits for each first answer separately, so that it reports a refusal at once. */
            ssize_t got = recv(each->descriptor, bytes, sizeof bytes, 0);
            if (got < 12 || memcmp(bytes + 9, "200", 3) != 0) return fail("refused", number);
        }
        struct epoll_event interest = {.events = EPOLLIN, .data.u32 = (uint32_t)number};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, each->descriptor, &interest) != 0)
            return fail("epoll", number);
    }
    struct epoll_event interest = {.events = EPOLLIN, .data.u32 = CONNECTIONS_MAX};
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &interest) != 0)
        return fail("standard input has to be a pipe", 0);
    printf("held %d\n", many);
    fflush(stdout);
    for (;;) {
        struct epoll_event events[EVENTS_MAX];
        int ready = epoll_wait(epoll, events, EVENTS_MAX, -1);
        for (int index = 0; index < ready; index++) {
            uint32_t number = events[index].data.u32;
            char line[64];
            if (number < CONNECTIONS_MAX) {
                if (!take(&connections[number])) return fail("lost", (int)number);
            } else if (read(STDIN_FILENO, line, sizeof line) > 0) {
                report(many);
            } else {
                return 0;
            }
        }
    }
}
