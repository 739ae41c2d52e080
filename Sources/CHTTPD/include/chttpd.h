#ifndef CHTTPD_H
#define CHTTPD_H
#endif
