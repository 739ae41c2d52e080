import StoreCore
import StoreJSON
import StoreTexts
import Testing

/// The outcome of an action, as a test states it: a change of the state, or a refusal.
struct StatedOutcome<State> {
    /// The exact reason of the refusal; `nil` if the action has to be applied.
    var refusalReason: String?
    /// The pointer to the faulty member of the refused action. With `nil`, the pointer is not
    /// compared.
    var refusalPointer: String?
    /// The function that changes the state as the action should; `nil` if the action changes
    /// nothing.
    var change: ((inout State) throws -> Void)?
}

/// Functions for the values of a state that the store itself writes. A test does not state these
/// values.
struct StoreValueCopier<State>: Sendable {
    /// The function that updates the copies of shared values.
    var fillSharedCopies: @Sendable (inout State) -> Void = { _ in }
    /// The function that copies the ledgers of effects and of presence from another state.
    var copyLedgers: @Sendable (inout State, State) -> Void = { _, _ in }
}

/// A comparison of a store's states with the changes that a test states. The comparison reports
/// each difference with advice.
struct StateCheck<State: Encodable & Equatable> {
    let reporter: TestReporter
    var exhaustivity = Exhaustivity.on
    /// The name of the function that the advice of a failure shows: `send` for `send(…)`.
    let functionName: String
    let storeValueCopier: StoreValueCopier<State>

    /// Compares the state after an applied action with the stated outcome. The expected state is
    /// the state before the action, with the stated change.
    func checkApplied(
        _ action: any Action,
        from before: State,
        to actual: State,
        as stated: StatedOutcome<State>,
        at place: SourceLocation
    ) {
        let name = ActionText.of(action)
        if let reason = stated.refusalReason {
            reporter.fail(
                "\(name) was applied, and should have been refused: \(reason)",
                "Let the reducer throw Refusal(reason: \(JSONText.quoted(reason))), or state it "
                    + "without `refused`.",
                at: place
            )
            return
        }
        var before = before
        storeValueCopier.copyLedgers(&before, actual)
        var expected = exhaustivity == .on ? before : actual
        do {
            try stated.change?(&expected)
            storeValueCopier.fillSharedCopies(&expected)
        } catch {
            reporter.fail("The closure for \(name) threw: \(error)", at: place)
            return
        }
        let isSilent = stated.change == nil
        if expected != actual {
            let difference = StateDifference.text(from: expected, to: actual)
            reporter.fail(
                isSilent
                    ? "\(name) changed the state, which is not stated.\n\n\(difference)"
                    : "The state after \(name) is not as stated.\n\n\(difference)",
                isSilent
                    ? "State it in a closure: \(functionName)(…) { $0.… = … }" : "−: stated, +: is",
                at: place
            )
        } else if exhaustivity == .on, !isSilent, before == actual {
            reporter.fail(
                "\(name) changed nothing, and the closure states no change.",
                "Leave the closure out.",
                at: place
            )
        } else if exhaustivity == .off(showSkipped: true), isSilent, before != actual {
            reporter.onWarning(
                "\(name) changed the state, which the test skips.\n\n"
                    + StateDifference.text(from: before, to: actual),
                place
            )
        }
    }

    /// Compares a refusal with the stated outcome: the reason, and the pointer if the test states a
    /// pointer.
    func checkRefused(
        _ action: any Action,
        _ refusal: Refusal,
        as stated: StatedOutcome<State>,
        at place: SourceLocation
    ) {
        let name = ActionText.of(action)
        if let failure = refusal.reducerError {
            reporter.fail(
                "\(name) made the reducer fail: \(failure)",
                "A reducer refuses by throwing a Refusal; clients get no details of any other error.",
                at: place
            )
            return
        }
        guard let reason = stated.refusalReason else {
            reporter.fail(
                "\(name) was refused: \(refusal.reason)",
                "If that is intended, state it: "
                    + "\(functionName)(…, refused: \(JSONText.quoted(refusal.reason)))",
                at: place
            )
            return
        }
        if stated.change != nil {
            reporter.fail(
                "\(name) has to be refused, and then changes nothing.",
                "Leave the closure out.",
                at: place
            )
        }
        let isPointed =
            stated.refusalPointer.map { refusal.pointer?.isSame(as: $0) == true } ?? true
        guard !refusal.reason.isSame(as: reason) || !isPointed else { return }
        func text(_ reason: String, _ pointer: String?) -> String {
            JSONText.quoted(reason)
                + (isPointed ? "" : ", pointer: \(JSONText.quoted(pointer ?? ""))")
        }
        reporter.fail(
            "\(name) was refused for another reason.\n\n"
                + "−   \(text(reason, stated.refusalPointer))\n+   \(text(refusal.reason, refusal.pointer))",
            "−: stated, +: is",
            at: place
        )
    }

    /// Reports that the action belongs to no module.
    func reportUnknown(_ action: any Action, _ modules: [String], at place: SourceLocation) {
        reporter.fail(
            "\(ActionText.of(action)) is no action of \(modules.joined(separator: ", ")).",
            "A module has its Action, its UI, its Internal and its dispatchables.",
            at: place
        )
    }
}

/// The text of the difference between two states. The difference is found in the states' JSON.
enum StateDifference {
    /// The maximum number of lines of a text; further lines are only counted.
    static let linesMax = JSONDifference.linesMax

    /// Returns the lines of ``JSONDifference``, or a sentence if the JSON values of the states do
    /// not differ.
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
