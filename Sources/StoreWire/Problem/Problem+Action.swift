// Problems of well-formed requests that the store cannot fulfil.

extension Problem {
    /// 409: the reducer refuses the action for this reason. The pointer (RFC 6901) leads to the
    /// member of the request that the reason is about.
    package static func refused(reason: String, pointer: String? = nil) -> Problem {
        Problem(
            .refused,
            detail: "The action was refused: \(sentence(reason)) Nothing was changed.",
            members: [ProblemMember("reason", .string(reason))] + optional("pointer", pointer)
        )
    }

    /// 410: the history does not reach back to the version any more (protocol 3.3).
    package static func gone(oldest: UInt64) -> Problem {
        Problem(
            .gone,
            detail: "That version is no longer kept. The oldest version is \(oldest).",
            members: [ProblemMember("oldest", .integer(oldest))]
        )
    }

    /// 412: `If-Match` names another version than the current one. With `if-match-of`, a resource
    /// has changed since the version that `If-Match` names (protocol 2.7).
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

    /// 422: no action has this name. The problem lists known names, sorted, at most
    /// ``knownActionsMax``. The pointer leads to the member of a batch, for instance `/3/type`.
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
                + optional("nearest", nearest) + optional("pointer", pointer)
        )
    }

    /// 422: a value in the request does not fit its Swift type. The pointer (RFC 6901) leads to the
    /// value in the body; `expected` describes a valid value in a few words.
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

    /// 424: an action was applied, but its effect failed.
    package static func effectFailed(of action: Tag, because reason: String) -> Problem {
        let what = "Version \(action.version) was applied, but its effect failed"
        return effectFailed(what, action, reason)
    }

    /// 424: the work of a use case or a notification failed. `tag` names the work's record.
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

    /// 422: the idempotency key was used with another body before (protocol 2.8).
    package static func idempotencyMismatch() -> Problem {
        Problem(
            .idempotencyMismatch,
            detail: "This Idempotency-Key was used for another body. "
                + "Send a new key with a new request, and the same body with the same key."
        )
    }

    /// Returns the reason with a full stop, unless it ends with a punctuation mark already.
    private static func sentence(_ reason: String) -> String {
        guard let last = reason.last, !".!?…".contains(last) else { return reason }
        return reason + "."
    }

    /// The maximum number of names that ``unknownAction(_:known:pointer:)`` lists.
    package static let knownActionsMax = 1_000
}
