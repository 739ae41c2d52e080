public import StoreCore
public import Testing

/// A trait with which a suite fails unless its tests exercise every action of a root state's
/// modules.
///
/// ```swift
/// @Suite(.everyAction(of: AppState.self)) struct AppTests {
///     @Test func `increasing adds the step`() {
///         Given(AppState()).when(Counter.Action.increased) { $0.counter.count = 1 }
///     }
/// }
/// ```
///
/// After the tests of the suite and its inner suites, the trait reports each action that no
/// ``TestStore`` or ``Given`` has exercised. Actions are the cases of each module's `Action`, `UI`
/// and `Internal`, the `start` and the `stop`, and the dispatchables. So an action that is added
/// without a test makes the suite fail. A filtered run leaves tests out, so the trait then also
/// reports the actions that only these tests exercise.
public struct EveryActionTrait: SuiteTrait, TestScoping {
    let exemptActionNames: [String]
    let reporter: TestReporter
    let makeCoverage: @Sendable () -> ActionCoverage

    /// Runs the suite's tests, and reports the actions that the tests have not exercised.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let coverage = makeCoverage()
        try await ActionCoverage.$current.withValue(coverage) { try await function() }
        if let refusal = coverage.startFailure {
            reporter.onFailure(refusal, test.sourceLocation)
            return
        }
        let missing = coverage.unexercisedActions.filter { !exemptActionNames.contains($0) }
        if !missing.isEmpty {
            reporter.fail(
                "Actions without a test: \(missing.joined(separator: ", "))",
                "Send or receive each in a TestStore, or write Given(…).when(…).",
                at: test.sourceLocation
            )
        }
        let stale = exemptActionNames.filter { !coverage.unexercisedActions.contains($0) }
        if !stale.isEmpty {
            reporter.fail(
                "Exceptions without need: \(stale.joined(separator: ", "))",
                "They have a test, or don't exist; take them out of `except`.",
                at: test.sourceLocation
            )
        }
    }
}

extension Trait where Self == EveryActionTrait {
    /// Returns a trait with which a suite fails unless its tests exercise every action of a root
    /// state's modules.
    ///
    /// - Parameters:
    ///   - root: the root state.
    ///   - except: wire names, `module/case`, of actions that need no test.
    ///   - reporter: receives the failures.
    /// - Returns: the trait for the suite.
    public static func everyAction<Root: RootState>(
        of root: Root.Type,
        except: [String] = [],
        reporter: TestReporter = .issues
    ) -> EveryActionTrait {
        EveryActionTrait(exemptActionNames: except, reporter: reporter) { ActionCoverage(of: root) }
    }
}
