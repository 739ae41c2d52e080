// Problems of the server: the request is valid, but the server cannot carry it out now.

extension Problem {
    /// 429: the client has sent more requests than its share permits.
    ///
    /// `what` completes a sentence that begins with "More", for instance
    /// `requests came than the 100 in 60 s`.
    package static func tooManyRequests(
        _ what: String = "requests came from you than are allowed",
        retryAfterSeconds seconds: Int
    ) -> Problem {
        retryLater(seconds, .tooManyRequests, "More \(what). Nothing was applied.")
    }

    /// 500: the server cannot encode a view as JSON. The server's log has the reason.
    package static func viewFailed(_ view: String) -> Problem {
        Problem(
            .viewFailed,
            detail: "The view '\(view)' can't be made of the present state; "
                + "the server's log has the reason."
        )
    }

    /// 500: the program cannot replay the actions up to a past version. The server's log has the
    /// reason.
    package static func versionUnreadable(_ version: UInt64) -> Problem {
        Problem(
            .versionUnreadable,
            detail: "The present program can't make version \(version) again, and a further try "
                + "fails, too; the server's log has the reason."
        )
    }

    /// 503: the server has reached a bound; nothing was applied. `what` names the bound, such as
    /// "the queue of actions (65,536)".
    package static func overloaded(_ what: String, retryAfterSeconds seconds: Int = 1) -> Problem {
        retryLater(
            seconds,
            .overloaded,
            "The server has reached a bound: \(what). Nothing was applied."
        )
    }

    /// 503: the server has not finished its start.
    package static func starting(retryAfterSeconds seconds: Int = 1) -> Problem {
        retryLater(
            seconds,
            .draining,
            "The server is starting and does not take requests yet. Nothing was applied."
        )
    }

    /// 503: the server is about to stop.
    package static func draining(retryAfterSeconds seconds: Int = 5) -> Problem {
        retryLater(
            seconds,
            .draining,
            "The server is stopping and accepts no new requests. Nothing was applied."
        )
    }

    /// 503: the journal has failed, and the server applies no action until it is restarted.
    package static func journalFailed(retryAfterSeconds seconds: Int = 5) -> Problem {
        retryLater(
            seconds,
            .draining,
            "The journal has failed, and the server applies nothing until it is started again. "
                + "Nothing was applied."
        )
    }

    /// 503: some stores of this process accept no requests. `stores` has the name and the reason of
    /// each such store.
    package static func storesNotReady(
        _ stores: [(name: String, reason: String)],
        retryAfterSeconds seconds: Int = 5
    ) -> Problem {
        Problem(
            .draining,
            detail: stores.map { "The store '\($0.name)' takes no requests: \($0.reason)" }
                .joined(separator: " "),
            members: [ProblemMember("stores", .strings(stores.map(\.name)))],
            headers: [("Retry-After", String(max(seconds, 1)))]
        )
    }

    /// 503: the store could not be started. If the reason has several lines, the detail joins them
    /// with semicolons.
    package static func notStarted(because reason: String, retryAfterSeconds: Int = 30) -> Problem {
        let reason = reason.split(separator: "\n").joined(separator: "; ")
        return retryLater(
            retryAfterSeconds,
            .draining,
            "The store could not be started: \(reason). Nothing was applied."
        )
    }

    /// 503: the number of open streams has reached its limit.
    package static func streamLimit(_ limit: Int, retryAfterSeconds seconds: Int = 10) -> Problem {
        retryLater(
            seconds,
            .streamLimit,
            "This server keeps at most \(limit) streams open, and all of them are taken."
        )
    }

    /// 507: the journal cannot store the action, because the disk is full. The server still answers
    /// reads.
    package static func storageFull(retryAfterSeconds seconds: Int = 30) -> Problem {
        retryLater(
            seconds,
            .storageFull,
            "The action could not be stored because the disk is full. Nothing was applied."
        )
    }

    private static func retryLater(_ seconds: Int, _ slug: ProblemSlug, _ detail: String) -> Problem
    {
        let wait = max(seconds, 1)
        return Problem(
            slug,
            detail: "\(detail) Try again in \(wait) s.",
            headers: [("Retry-After", String(wait))]
        )
    }
}
