// Problems of well-formed requests that the store cannot fulfil.

extension Problem {
    /// 409: the reducer refuses the action for this reason. The pointer (RFC 6901) leads to the
    /// value in the request that causes the refusal.
    package static func refused(reason: String, pointer: String? = nil) -> Problem {
        Problem(
            .refused,
            detail: "The action was refused: \(withFullStop(reason)) Nothing was changed.",
            members: [ProblemMember("reason", .string(reason))] + optionalMember("pointer", pointer)
        )
    }

    /// 410: the history no longer contains the version (protocol 3.3). `oldest` is the oldest
    /// version in the history.
    package static func gone(oldest: UInt64) -> Problem {
        Problem(
            .gone,
            detail: "That version is no longer kept. The oldest version is \(oldest).",
            members: [ProblemMember("oldest", .integer(oldest))]
        )
    }

    /// 412: the version in `If-Match` is not the current version. For a request with `if-match-of`,
    /// `resource` has changed since the version in `If-Match` (protocol 2.7).
    package static func versionMismatch(current: Tag, of resource: String? = nil) -> Problem {
        let reason =
            if let resource {
                "'\(excerpt(resource))' has changed since the version that If-Match names, or is "
                    + "not there. Nothing was changed; read it again and decide anew."
            } else {
                "The state is at version \(current.version), not at the version in If-Match. "
                    + "Nothing was changed; read the state again and decide anew."
            }
        return Problem(
            .versionMismatch,
            detail: reason,
            members: [
                ProblemMember("epoch", .string(current.epoch.description)),
                ProblemMember("version", .integer(current.version)),
            ]
        )
    }

    /// 422: no action has this name. The problem lists at most ``knownActionsMax`` of the `known`
    /// names, in sorted order. For an array of actions, the pointer leads to the name in the body,
    /// for instance `/3/type`.
    package static func unknownAction(
        _ name: String,
        known: some Sequence<String>,
        pointer: String? = nil
    ) -> Problem {
        let names = known.sorted()
        let nearest = EditDistance.nearest(to: name, in: names)
        let hint = nearest.map { "Did you mean \"\($0)\"?" } ?? "GET /schema describes all of them."
        return Problem(
            .unknownAction,
            detail: "There is no action \"\(excerpt(name))\". \(hint)",
            members: [ProblemMember("known", .strings(Array(names.prefix(knownActionsMax))))]
                + optionalMember("nearest", nearest) + optionalMember("pointer", pointer)
        )
    }

    /// 422: a value in the body does not fit its Swift type. The pointer (RFC 6901) leads to the
    /// value, and `expected` describes a valid value in a few words.
    package static func invalidPayload(
        pointer: String,
        expected: String,
        detail: String? = nil
    ) -> Problem {
        let place = pointer.isEmpty ? "The body" : "The value at \"\(excerpt(pointer))\""
        return Problem(
            .invalidPayload,
            detail: detail ?? "\(place) does not fit. Expected: \(expected).",
            members: [
                ProblemMember("pointer", .string(pointer)),
                ProblemMember("expected", .string(expected)),
            ]
        )
    }

    /// 424: the action with this tag was applied, but its effect failed.
    package static func effectFailed(of action: Tag, because reason: String) -> Problem {
        let what = "Version \(action.version) was applied, but its effect failed"
        return effectFailed(what, action, reason)
    }

    /// 424: the work of a use case or a notification failed. `tag` is the tag of the record of the
    /// call.
    package static func workFailed(recordedAs tag: Tag, because reason: String) -> Problem {
        effectFailed("The work was begun, but it failed", tag, reason)
    }

    private static func effectFailed(_ what: String, _ tag: Tag, _ reason: String) -> Problem {
        Problem(
            .effectFailed,
            detail: "\(what): \(excerpt(reason))",
            members: [
                ProblemMember("epoch", .string(tag.epoch.description)),
                ProblemMember("version", .integer(tag.version)),
                ProblemMember("reason", .string(reason)),
            ]
        )
    }

    /// 422: an earlier request had the same idempotency key and another body (protocol 2.8).
    package static func idempotencyMismatch() -> Problem {
        Problem(
            .idempotencyMismatch,
            detail: "This Idempotency-Key was used for another body. "
                + "Send a new key with a new request, and the same body with the same key."
        )
    }

    /// Returns the reason with a full stop at its end, unless the reason ends with a punctuation
    /// mark.
    private static func withFullStop(_ reason: String) -> String {
        guard let last = reason.last, !".!?…".contains(last) else { return reason }
        return reason + "."
    }

    /// The maximum number of names that ``unknownAction(_:known:pointer:)`` lists.
    package static let knownActionsMax = 1_000
}
