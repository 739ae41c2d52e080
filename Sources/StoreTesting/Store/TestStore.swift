import StoreActionCatalog
// An import of `StoreTesting` also imports this module, with the clocks, random numbers and
// identifiers for tests.
@_exported public import StoreCore
import StorePlatform
import Synchronization
public import Testing

/// A store for tests. A test fails unless it states every event of the store.
///
/// ```swift
/// let clock = ManualClock()
/// let store = TestStore(AppState(), dependencies: .controlled(by: clock))
/// await store.send(Home.start) { $0.home = Home.State(titles: []) }
/// await store.send(Home.Action.refreshed) { $0.home?.isBusy = true }
/// await clock.advance(by: .seconds(1))
/// await store.receive(Home.Internal.loaded(titles: ["Fresh"])) {
///     $0.home = Home.State(titles: ["Fresh"])
/// }
/// await store.finish()
/// ```
///
/// A closure states the change of the state. If the state differs, the test fails, and the failure
/// lists the fields that differ. The test also has to receive the actions that effects and
/// presenters dispatch, in their order, and the errors of effects. ``exhaustivity`` relaxes these
/// rules.
///
/// The store is a real Core. Effects run one at a time, and `send` returns when every effect has
/// ended or waits for something, such as the clock. So the order of events is the same in every
/// run. Only one task at a time may use a store.
///
/// `Subject` is the subject of the test: a root state, or a module alone.
public final class TestStore<State: Encodable & Equatable & Sendable, Subject> {
    /// The kinds of events that the test has to state.
    public var exhaustivity = Exhaustivity.on
    /// The longest wait for an action or an effect's end, in real time. Only a failing test waits
    /// that long.
    public var timeout: Duration

    /// The state after the last action that the test sent or received.
    public internal(set) var state: State

    let reporter: TestReporter
    let creationLocation: SourceLocation
    let changes = ChangeSignal()
    let executor: OrderedExecutor
    let events: TestEvents<State>
    let runner: EffectRunner
    let coverage = ActionCoverage.current
    let quotedModuleNames: [String]
    let storeValueCopier: StoreValueCopier<State>
    let isActionOfModules: (any Action) -> Bool
    let dispatch:
        @Sendable (any Action, TestSender, EffectWatch) async throws -> (
            version: UInt64, state: State
        )
    let useCaseStartersByPath: [String: UseCaseStarter]
    /// The Core; `nil` if the modules can't make a store.
    let core: (any Sendable)?
    /// True if there is an interceptor: an interceptor may replace an action that belongs to no
    /// module.
    var hasInterceptor = false
    var notificationHandlers: [NotificationHandler] = []

    /// A reaction to the notifications of one name.
    struct NotificationHandler {
        let name: String
        let sourceLocation: String
        let react: @Sendable (any Sendable) -> (any Action)?
    }

    init<Root: RootState>(
        _ root: Root,
        modules: Root.Modules,
        dependencies: Dependencies,
        reporter: TestReporter,
        timeout: Duration,
        policy: TestPolicy? = nil,
        at place: SourceLocation,
        storeValueCopier: StoreValueCopier<State> = StoreValueCopier(),
        shown: @escaping @Sendable (Root) -> State
    ) {
        let events = TestEvents<State>(changes)
        let executor = OrderedExecutor(changes)
        let runner = EffectRunner(dependencies: dependencies, executor: executor) {
            events.recordFailure($0, $1)
        }
        self.reporter = reporter
        self.timeout = timeout
        self.events = events
        self.executor = executor
        self.runner = runner
        self.quotedModuleNames = Root.quotedNames(of: modules)
        self.creationLocation = place
        self.storeValueCopier = storeValueCopier
        var beginning = shown(root)
        storeValueCopier.fillSharedCopies(&beginning)
        state = beginning

        var configuration = CoreConfiguration<Root>()
        if let clock = try? dependencies[WallClockKey.self] { configuration.clock = clock }
        configuration.workCodec = JSONWorkCodec()
        do throws(ModuleError) {
            let core = try Core(
                root,
                modules: modules,
                runner: runner,
                configuration: configuration
            ) { core in
                core.add(middleware: { _, action, envelope in
                    // The record of a use case's call is not an action, so the test does not state
                    // it.
                    if action is ClientRequest { return nil }
                    return { events.recordAction(envelope) }
                })
                core.observe { root in events.recordState(shown(root)) }
            }
            let machine = try ModuleMachine<Root>(of: modules)
            // A tracked action may be sent, even if the action belongs to no module.
            isActionOfModules = { machine.route(of: $0) != nil || $0 is any TrackedAction }
            let admission = Self.makeAdmission(by: policy, to: Root.self, reporter, at: place)
            dispatch = { action, sender, watch in
                try admission?.checkAction(action, sender)
                let done = try await core.apply(
                    action,
                    watch: watch,
                    from: sender.session,
                    by: sender.principal,
                    isLimitedToReadableSlices: sender.principal != nil || sender.session != nil
                )
                return (done.version, shown(done.state))
            }
            useCaseStartersByPath = Self.useCaseStarters(of: modules, core, admission)
            self.core = core
            if let refusal = ActionTable.of(modules).startFailureText {
                reporter.onFailure(refusal, place)
            }
        } catch {
            reporter.onFailure("The modules can't make a store: \(error).", place)
            isActionOfModules = { _ in true }
            dispatch = { _, _, _ in throw error }
            useCaseStartersByPath = [:]
            core = nil
        }
        if let clock = try? dependencies[ClockKey.self] as? ManualClock {
            clock.addRestWaiter {
                _ = await executor.waitForRest()
                return true
            }
        }
    }

    /// Makes the checks of a sender's permissions; `nil` if there is no policy, or if the policy
    /// can't be used.
    private static func makeAdmission<Root: RootState>(
        by policy: TestPolicy?,
        to root: Root.Type,
        _ reporter: TestReporter,
        at place: SourceLocation
    ) -> TestAdmission? {
        do { return try policy?.makeAdmission(of: root) } catch {
            reporter.fail("The policy can't be used.", Refusal(error).reason, at: place)
            return nil
        }
    }

    deinit {
        reportUnpreparedDependencies(at: creationLocation)
        report(unstated: events.take(), before: "the store went", at: creationLocation)
        report(running: runner.runningEffects, "when the store went", at: creationLocation)
        runner.stop()
    }
}

extension TestStore where Subject == State, State: RootState {
    /// Makes a store of the modules of a root state.
    ///
    /// - Parameters:
    ///   - state: the state at the start.
    ///   - dependencies: the dependencies of effects; by default, no dependency is prepared.
    ///   - policy: decides which actions a sender may dispatch; by default, every action.
    ///   - timeout: see ``timeout``.
    ///   - reporter: receives the failures.
    ///   - place: the source location of reports about the store itself, and about unstated events
    ///     at the store's release.
    public convenience init(
        _ state: State,
        dependencies: Dependencies = .unprepared,
        policy: TestPolicy? = nil,
        timeout: Duration = .seconds(1),
        reporter: TestReporter = .issues,
        at place: SourceLocation = #_sourceLocation
    ) {
        self.init(
            state,
            modules: State.modules,
            dependencies: dependencies,
            reporter: reporter,
            timeout: timeout,
            policy: policy,
            at: place,
            storeValueCopier: State.storeValueCopier
        ) { $0 }
    }
}

extension TestStore where Subject: Module, Subject.State == State {
    /// Makes a store of one module alone. The state of the store is the state of the module.
    ///
    /// The other parameters are the same as for a store of a root state. To test the module's start
    /// and stop, use a store of a root state.
    public convenience init(
        _ module: Subject,
        _ state: State,
        dependencies: Dependencies = .unprepared,
        timeout: Duration = .seconds(1),
        reporter: TestReporter = .issues,
        at place: SourceLocation = #_sourceLocation
    ) {
        self.init(
            SoleState<Subject>(state),
            modules: SoleState<Subject>.modules(module),
            dependencies: dependencies,
            reporter: reporter,
            timeout: timeout,
            at: place
        ) { $0.state ?? state }
    }
}

/// The kinds of events of the store that a test has to state.
public enum Exhaustivity: Sendable, Equatable {
    /// The test states every change of the state, every action and every effect's end.
    case on
    /// The store checks the events that the test states, and skips other events. With
    /// `showSkipped`, the store reports skipped events as warnings.
    case off(showSkipped: Bool)

    /// The store checks the events that the test states, and skips other events without a report.
    public static let off = Exhaustivity.off(showSkipped: false)
}

/// A receiver of the failures that a ``TestStore`` or a ``Given`` finds in a test.
///
/// By default, each failure becomes an issue of Swift Testing at the caller's source location. In
/// XCTest, make a reporter:
///
/// ```swift
/// let reporter = TestReporter { text, place in
///     XCTFail(text, file: #filePath, line: UInt(place.line))
/// }
/// ```
public struct TestReporter: Sendable {
    let onFailure: @Sendable (String, SourceLocation) -> Void
    let onWarning: @Sendable (String, SourceLocation) -> Void

    /// Makes a reporter.
    ///
    /// - Parameters:
    ///   - noted: receives a warning with the skipped events, if the test asks for warnings.
    ///   - failed: receives a failure.
    public init(
        noted: @escaping @Sendable (String, SourceLocation) -> Void = { _, _ in },
        failed: @escaping @Sendable (String, SourceLocation) -> Void
    ) {
        self.onWarning = noted
        self.onFailure = failed
    }

    /// Reports a failure. The advice follows the failure, after an empty line.
    func fail(_ failure: String, _ advice: String? = nil, at place: SourceLocation) {
        onFailure(failure + (advice.map { "\n\n" + $0 } ?? ""), place)
    }

    /// The reporter that records issues of Swift Testing.
    public static let issues = TestReporter { text, place in
        Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: place)
    } failed: { text, place in
        Issue.record(Comment(rawValue: text), sourceLocation: place)
    }
}
