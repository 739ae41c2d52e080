import StoreJSON
import StoreTexts

/// Compares the result of a step with the expectation of the script, like the `TestStore` of a unit
/// test.
struct AssertCheck {
    let expectation: AssertScript.Expectation
    /// The lines to print about differences; empty if the result is as expected.
    private(set) var differenceLines: [String] = []

    // The answer

    mutating func checkAnswer(_ outcome: StoreClient.Outcome) {
        switch (expectation.answer, outcome) {
        case (.success, .succeeded): break
        case (_, .unfinished):
            add("Its effects did not end within \(StoreClient.effectsWaitSecondsMax) s.")
        case (_, .foreignAnswer(let status)):
            add("The answer is \(status), which does not come from a store.")
        case (.success, .problem("refused", _, let reason?)):
            add("It was refused: \(reason)")
            add("If that is intended, state it: \"refused\": \(JSONText.quoted(reason))")
        case (.success, .problem(let slug, let detail, _)):
            add("The answer is the problem \(slug): \(detail)")
            add("If that is intended, state it: \"problem\": \(JSONText.quoted(slug))")
        case (.refused(let reason), .succeeded):
            add("It was applied, and should have been refused: \(reason)")
        case (.refused(let stated), .problem("refused", _, let reason?)):
            if !stated.isSame(as: reason) { addAnswerDifference("refused", stated, reason) }
        case (.refused(let stated), .problem(let slug, let detail, _)):
            add("It should have been refused: \(stated)")
            add("The answer is the problem \(slug): \(detail)")
        case (.problem(let slug), .succeeded):
            add("It was applied, and should have been answered with the problem \(slug).")
        case (.problem(let stated), .problem(let slug, _, _)):
            if !stated.isSame(as: slug) { addAnswerDifference("problem", stated, slug) }
        }
    }

    // The state

    /// Compares the state after the step with the expected state. The expected state is the state
    /// before the step, with the changes that the script states. If the expectation is not
    /// exhaustive, only the stated parts are compared.
    mutating func checkState(from before: JSONTree, to after: JSONTree) {
        var expectedState = expectation.isExhaustive ? before : after
        var lost: [String] = []
        for (pointer, value) in expectation.changes where !expectedState.put(value, at: pointer) {
            lost.append("  \(pointer)")
            lost.append(
                "−   \(String(decoding: value.uniformJSON(orderedLike: after), as: UTF8.self))"
            )
        }
        guard expectedState != after || !lost.isEmpty else { return }
        add("The state is not as stated.")
        differenceLines += lost
        if !lost.isEmpty {
            add("The parent of this pointer is not in the state; state the whole parent.")
        }
        differenceLines += Self.stateDifferenceLines(expectedState, after)
    }

    private static func stateDifferenceLines(_ stated: JSONTree, _ actual: JSONTree) -> [String] {
        let texts = [stated, actual].map { $0.uniformJSON(orderedLike: actual) }
        guard let old = try? JSONDocument(parsing: texts[0], limits: .unbounded),
            let new = try? JSONDocument(parsing: texts[1], limits: .unbounded)
        else { return ["  The states differ, and nest too deep to be shown."] }
        return withExtendedLifetime((old, new)) {
            JSONDifference.lines(from: old.root, to: new.root)
        }
    }

    // Comparing the actions that follow the step

    /// Compares the names of the actions that effects, presenters and reactions dispatched after
    /// the step.
    mutating func checkConsequences(_ names: [String]) {
        let names = names.map { ExactText($0) }
        let stated = expectation.consequences.map { ExactText($0) }
        if !expectation.isExhaustive {
            guard let missing = Self.firstMissing(of: stated, in: names) else { return }
            add("The actions that follow are not as stated.")
            add("−   \(JSONText.quoted(missing.text))")
            return
        }
        guard names != stated else { return }
        add("The actions that follow are not as stated.")
        add("/receive")
        let change = names.difference(from: stated)
        for change in change.removals + change.insertions {
            switch change {
            case .remove(let index, let name, _):
                differenceLines.append("−   \(index): \(JSONText.quoted(name.text))")
            case .insert(let index, let name, _):
                differenceLines.append("+   \(index): \(JSONText.quoted(name.text))")
            }
        }
    }

    /// Returns the first stated name without a match in `names`. The matches must have the stated
    /// order. Other names may come between the stated names.
    private static func firstMissing(of stated: [ExactText], in names: [ExactText]) -> ExactText? {
        var rest = names[...]
        for name in stated {
            guard let index = rest.firstIndex(of: name) else { return name }
            rest = rest[(index + 1)...]
        }
        return nil
    }

    // Writing

    /// Adds a line about the actions that other clients dispatched during the step, unless
    /// ``differenceLines`` is empty.
    mutating func addActionsOfOtherClients(_ names: [String]) {
        guard !differenceLines.isEmpty, !names.isEmpty else { return }
        add("Other clients dispatched meanwhile: \(names.joined(separator: ", "))")
    }

    private mutating func addAnswerDifference(_ name: String, _ stated: String, _ actual: String) {
        add("The answer is not as stated.")
        differenceLines.append("−   \"\(name)\": \(JSONText.quoted(stated))")
        differenceLines.append("+   \"\(name)\": \(JSONText.quoted(actual))")
    }

    private mutating func add(_ line: String) { differenceLines.append("  " + line) }
}
