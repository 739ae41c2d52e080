/* Holds many open streams and reads their bytes, with one thread and one epoll.
 *
 *   idle_streams PORT COUNT PATH [at-once]
 *
 * A '#' in the path stands for the stream's number. Prints "held COUNT" when every stream has answered
 * with status 200; with at-once, when every stream has sent its request. Ends with 0 when its standard
 * input is closed, and with 1 as soon as a stream is refused or lost.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS_MAX = 256, STREAMS_MAX = 19000 };

static int fail(const char *what, int stream) {
    fprintf(stderr, "idle_streams: stream %d: %s (%s)\n", stream, what, strerror(errno));
    return 1;
}

int main(int count, char **arguments) {
    if (count != 4 && count != 5) {
        fprintf(stderr, "usage: idle_streams PORT COUNT PATH [at-once]\n");
        return 2;
    }
    int streams = atoi(arguments[2]);
    if (streams < 1 || streams > STREAMS_MAX) return fail("too many", streams);
    struct sockaddr_in server = {.sin_family = AF_INET,
                                 .sin_port = htons((uint16_t)atoi(arguments[1])),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char request[512], bytes[65536];
    const char *mark = strchr(arguments[3], '#');
    int before = mark ? (int)(mark - arguments[3]) : (int)strlen(arguments[3]);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (int stream = 0; stream < streams; stream++) {
        int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (socket_ < 0) return fail("socket", stream);
        if (connect(socket_, (struct sockaddr *)&server, sizeof server) != 0)
            return fail("connect", stream);
        char number[16] = "";
        if (mark) snprintf(number, sizeof number, "%d", stream);
        int length = snprintf(request, sizeof request,
                              "GET %.*s%s%s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n\r\n", before,
                              arguments[3], number, mark ? mark + 1 : "", arguments[1]);
        if (length >= (int)sizeof request) return fail("path too long", stream);
        if (send(socket_, request, (size_t)length, MSG_NOSIGNAL) != length)
            return fail("send", stream);
        if (count == 4) {
            /* The program waits for each first answer separately, so that it reports a refusal at once. */
            ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
            if (got < 12 || memcmp(bytes + 9, "200", 3) != 0) return fail("refused", stream);
        }
        struct epoll_event interest = {.events = EPOLLIN, .data.fd = socket_};
        if (epoll_ctl(epoll, EPOLL_CTL_ADD, socket_, &interest) != 0) return fail("epoll", stream);
    }
    struct epoll_event interest = {.events = EPOLLIN, .data.fd = STDIN_FILENO};
    int watches_input = epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &interest) == 0;
    if (!watches_input) return fail("standard input has to be a pipe", 0);
    printf("held %d\n", streams);
    fflush(stdout);
    for (;;) {
        struct epoll_event events[EVENTS_MAX];
        int ready = epoll_wait(epoll, events, EVENTS_MAX, -1);
        for (int index = 0; index < ready; index++) {
            int descriptor = events[index].data.fd;
            ssize_t got = read(descriptor, bytes, sizeof bytes);
            if (descriptor == STDIN_FILENO && got == 0) return 0;
            if (got <= 0) return fail("lost", descriptor);
        }
    }
}
