import StoreCore
import StoreJSON
import StoreTexts
import Testing

/// Compares states with the changes that a test states. Reports each difference, with advice.
struct StateCheck<State: Encodable & Equatable> {
    let reporter: TestReporter
    var exhaustivity = Exhaustivity.on
    /// The function that a failure's hint names: `send` for `send(…)`.
    let verb: String
    /// Updates the values that modules share in a stated state, as the store does by itself.
    var connect: (inout State) -> Void = { _ in }
    /// Copies the store's own ledgers from another state.
    var takingLedger: (inout State, State) -> Void = { _, _ in }

    func fail(_ what: String, _ hint: String? = nil, at place: SourceLocation) {
        reporter.failed([what, hint].compactMap(\.self).joined(separator: "\n\n"), place)
    }

    /// Compares the state after an action with the expected state, which `change` makes of the
    /// state before.
    func applied(
        _ action: any Action,
        from before: State,
        to actual: State,
        _ change: ((inout State) throws -> Void)?,
        at place: SourceLocation
    ) {
        let name = ActionText.of(action)
        var before = before
        takingLedger(&before, actual)
        var stated = exhaustivity == .on ? before : actual
        do {
            try change?(&stated)
            connect(&stated)
        } catch {
            fail("The closure for \(name) threw: \(error)", at: place)
            return
        }
        if stated != actual {
            let difference = StateDifference.text(from: stated, to: actual)
            if change == nil {
                fail(
                    "\(name) changed the state, which is not stated.\n\n\(difference)",
                    "State it in a closure: \(verb)(…) { $0.… = … }",
                    at: place
                )
            } else {
                fail(
                    "The state after \(name) is not as stated.\n\n\(difference)",
                    "−: stated, +: is",
                    at: place
                )
            }
        } else if exhaustivity == .on, change != nil, before == actual {
            fail(
                "\(name) changed nothing, and the closure states no change.",
                "Leave the closure out.",
                at: place
            )
        } else if exhaustivity == .off(showSkipped: true), change == nil, before != actual {
            reporter.noted(
                "\(name) changed the state, which the test skips.\n\n"
                    + StateDifference.text(from: before, to: actual),
                place
            )
        }
    }

    /// Reports that an action was applied and should have been refused.
    func applied(_ action: any Action, insteadOf reason: String, at place: SourceLocation) {
        fail(
            "\(ActionText.of(action)) was applied, and should have been refused: \(reason)",
            "Let the reducer throw Refusal(reason: \(JSONText.quoted(reason))), or state it without "
                + "`refused`.",
            at: place
        )
    }

    /// Reports that an action was refused and should have been applied.
    func refused(_ action: any Action, _ refusal: Refusal, at place: SourceLocation) {
        if let failure = refusal.failure { return failed(action, failure, at: place) }
        fail(
            "\(ActionText.of(action)) was refused: \(refusal.reason)",
            "If that is intended, state it: "
                + "\(verb)(…, refused: \(JSONText.quoted(refusal.reason)))",
            at: place
        )
    }

    /// Reports that the reducer threw an error other than a refusal.
    private func failed(_ action: any Action, _ error: any Error, at place: SourceLocation) {
        fail(
            "\(ActionText.of(action)) made the reducer fail: \(error)",
            "A reducer refuses by throwing a Refusal; clients get no details of any other error.",
            at: place
        )
    }

    /// Compares the reason of an expected refusal, and its pointer if the test states one.
    func refused(
        _ action: any Action,
        _ refusal: Refusal,
        for reason: String,
        _ pointer: String?,
        at place: SourceLocation
    ) {
        if let failure = refusal.failure { return failed(action, failure, at: place) }
        let isPointed = pointer.map { refusal.pointer?.isSame(as: $0) == true } ?? true
        guard !refusal.reason.isSame(as: reason) || !isPointed else { return }
        func text(_ reason: String, _ pointer: String?) -> String {
            JSONText.quoted(reason)
                + (isPointed ? "" : ", pointer: \(JSONText.quoted(pointer ?? ""))")
        }
        fail(
            "\(ActionText.of(action)) was refused for another reason.\n\n"
                + "−   \(text(reason, pointer))\n+   \(text(refusal.reason, refusal.pointer))",
            "−: stated, +: is",
            at: place
        )
    }

    /// Reports that the action belongs to no module.
    func unknown(_ action: any Action, _ modules: [String], at place: SourceLocation) {
        fail(
            "\(ActionText.of(action)) is no action of \(modules.joined(separator: ", ")).",
            "A module has its Action, its UI, its Internal and its dispatchables.",
            at: place
        )
    }
}

/// The difference of two states, by their JSON forms.
enum StateDifference {
    /// The most lines of a text; further lines are only counted.
    static let linesMax = JSONDifference.linesMax

    /// Returns the lines of ``JSONDifference``, or a sentence if the two forms do not differ.
    static func text<State: Encodable>(from old: State, to new: State) -> String {
        do throws(JSONError) {
            let encoder = JSONEncoder()
            let old = try JSONDocument(parsing: encoder.encode(old), limits: .unbounded)
            let new = try JSONDocument(parsing: encoder.encode(new), limits: .unbounded)
            return withExtendedLifetime((old, new)) { text(from: old.root, to: new.root) }
        } catch {
            return "  The states differ, and can't be shown: \(error)."
        }
    }

    private static func text(from old: JSONNode, to new: JSONNode) -> String {
        let lines = JSONDifference.lines(from: old, to: new)
        guard lines.isEmpty else { return lines.joined(separator: "\n") }
        return old.sourceText.isSame(as: new.sourceText)
            ? "  Their JSON forms are the same: the differing values are not encoded."
            : "  Only the order of members differs."
    }
}
