// Problems of the server: the request is valid, and the client may send it again later.

extension Problem {
    /// 429: this client has sent more requests than its share.
    ///
    /// `what` compares the requests with the share: `requests came than the 100 in 60 s`. The
    /// detail puts "More" before it.
    package static func tooManyRequests(
        _ what: String = "requests came from you than are allowed",
        retryAfterSeconds: Int
    ) -> Problem {
        later(
            .tooManyRequests,
            "More \(what). Nothing was applied.",
            seconds: retryAfterSeconds
        )
    }

    /// 500: a view of the program has no JSON form. The server's log has the reason.
    package static func viewFailed(_ view: String) -> Problem {
        Problem(
            .viewFailed,
            detail: "The view '\(view)' can't be made of the present state; "
                + "the server's log has the reason."
        )
    }

    /// 500: the current program cannot make a past version again. The server's log has the reason.
    package static func versionUnreadable(_ version: UInt64) -> Problem {
        Problem(
            .versionUnreadable,
            detail: "The present program can't make version \(version) again, and a further try "
                + "fails, too; the server's log has the reason."
        )
    }

    /// 503: the server has reached a bound; nothing was applied. `what` names that bound, such as
    /// "the queue of actions (65,536)".
    package static func overloaded(_ what: String, retryAfterSeconds: Int = 1) -> Problem {
        later(
            .overloaded,
            "The server has reached a bound: \(what). Nothing was applied.",
            seconds: retryAfterSeconds
        )
    }

    /// 503: the server has not finished its start.
    package static func starting(retryAfterSeconds: Int = 1) -> Problem {
        later(
            .draining,
            "The server is starting and does not take requests yet. Nothing was applied.",
            seconds: retryAfterSeconds
        )
    }

    /// 503: the server is about to stop.
    package static func draining(retryAfterSeconds: Int = 5) -> Problem {
        later(
            .draining,
            "The server is stopping and accepts no new requests. Nothing was applied.",
            seconds: retryAfterSeconds
        )
    }

    /// 503: the journal has failed, and the server applies no action until it is restarted.
    package static func journalFailed(retryAfterSeconds: Int = 5) -> Problem {
        later(
            .draining,
            "The journal has failed, and the server applies nothing until it is started again. "
                + "Nothing was applied.",
            seconds: retryAfterSeconds
        )
    }

    /// 503: some stores of this process accept no requests, for these reasons.
    package static func storesNotReady(
        _ stores: [(name: String, reason: String)],
        retryAfterSeconds: Int = 5
    ) -> Problem {
        let wait = max(retryAfterSeconds, 1)
        return Problem(
            .draining,
            detail: stores.map { "The store '\($0.name)' takes no requests: \($0.reason)" }
                .joined(separator: " "),
            members: [ProblemMember("stores", .strings(stores.map(\.name)))],
            headers: [(name: "Retry-After", value: String(wait))]
        )
    }

    /// 503: the store could not be started. The lines of the reason become parts of one sentence.
    package static func notStarted(because reason: String, retryAfterSeconds: Int = 30) -> Problem {
        let reason = reason.split(separator: "\n").joined(separator: "; ")
        return later(
            .draining,
            "The store could not be started: \(reason). Nothing was applied.",
            seconds: retryAfterSeconds
        )
    }

    /// 503: the number of open streams has reached its limit.
    package static func streamLimit(_ limit: Int, retryAfterSeconds: Int = 10) -> Problem {
        later(
            .streamLimit,
            "This server keeps at most \(limit) streams open, and all of them are taken.",
            seconds: retryAfterSeconds
        )
    }

    /// 507: the journal has no room. Reads still work.
    package static func storageFull(retryAfterSeconds: Int = 30) -> Problem {
        later(
            .storageFull,
            "The action could not be stored because the disk is full. Nothing was applied.",
            seconds: retryAfterSeconds
        )
    }

    private static func later(_ slug: ProblemSlug, _ detail: String, seconds: Int) -> Problem {
        let wait = max(seconds, 1)
        return Problem(
            slug,
            detail: "\(detail) Try again in \(wait) s.",
            headers: [(name: "Retry-After", value: String(wait))]
        )
    }
}
