public import StoreCore
public import Testing

/// A test of one action: given a state, when the action is dispatched, then the state is as stated.
///
/// ```swift
/// Given(Counter(), Counter.State(step: 2)).when(.increased) { $0.count = 2 }
/// Given(Counter(), Counter.State())
///     .when(.stepChanged(to: 0), refused: "A step of 0 leads nowhere.")
/// ```
///
/// Only the reducer runs: no effect, no presenter, no thread. The closure states every change.
///
/// `Subject` is the module under test, or a root state with all of its modules. `State` is the
/// state of the subject.
public struct Given<State: Encodable & Equatable & Sendable, Subject> {
    private let state: State
    private let reporter: TestReporter
    /// The modules' names in quotation marks, for messages.
    private let modules: [String]
    /// The counter of the exercised actions; `nil` if they are not counted.
    private let coverage = ActionCoverage.current
    /// The reason why a server does not start with the modules' actions; `nil` if it starts.
    private let refusal: String?
    /// Returns the state after an action; `nil` if the action belongs to none of the modules.
    private let reduce: (any Action, TestSender) throws -> State?
    /// Updates the values that modules share, as the store does by itself.
    private let connect: (inout State) -> Void
    /// Copies the store's own ledgers from another state.
    private let takingLedger: (inout State, State) -> Void

    /// Makes the test for a root state; `shown` returns the part of the root state that is under
    /// test.
    private init<Root: RootState>(
        _ root: Root,
        _ modules: Root.Modules,
        _ reporter: TestReporter,
        _ policy: TestPolicy? = nil,
        connect: @escaping (inout State) -> Void = { _ in },
        takingLedger: @escaping (inout State, State) -> Void = { _, _ in },
        shown: @escaping (Root) -> State
    ) {
        self.reporter = reporter
        self.modules = modules.map { "'\($0.name)'" }
        self.connect = connect
        self.takingLedger = takingLedger
        state = shown(root)
        refusal = ActionNames.of(modules).refusal
        reduce = { action, sender in
            let machine = try ModuleMachine<Root>(of: modules)
            guard machine.route(of: action) != nil else { return nil }
            try policy?.check(of: Root.self).action(action, sender)
            var root = root
            _ = try machine.edit(&root, action, version: 1, from: sender.session)
            return shown(root)
        }
    }

    /// States the changes of an action. Without a closure, the action must change nothing.
    ///
    /// - Parameters:
    ///   - action: any action of the modules.
    ///   - principal: the sender for the policy, such as `author/u1`.
    ///   - session: the session that sends the action; the action changes its slice.
    ///   - change: changes the state as the action should.
    ///   - place: the place at which a failure is reported.
    public func when(
        _ action: any Action,
        as principal: String? = nil,
        session: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        do {
            guard let after = try after(action, TestSender(principal, session), at: place) else {
                return
            }
            check.applied(action, from: state, to: after, change, at: place)
        } catch {
            check.refused(action, Refusal(error), at: place)
        }
    }

    /// States that an action is refused, with the exact reason. A `pointer` also states the faulty
    /// member of the action.
    public func when(
        _ action: any Action,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String,
        pointer: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        refuse(action, (principal, session), (reason, pointer), at: place)
    }

    private func refuse(
        _ action: any Action,
        _ sender: (principal: String?, session: String?),
        _ stated: (reason: String, pointer: String?),
        at place: SourceLocation
    ) {
        do {
            let sender = try TestSender(sender.principal, sender.session)
            guard try after(action, sender, at: place) != nil else { return }
            check.applied(action, insteadOf: stated.reason, at: place)
        } catch {
            check.refused(action, Refusal(error), for: stated.reason, stated.pointer, at: place)
        }
    }

    private var check: StateCheck<State> {
        StateCheck(
            reporter: reporter,
            verb: "when",
            connect: connect,
            takingLedger: takingLedger
        )
    }

    /// Returns the state after an action; `nil` if a failure was reported instead. Throws the error
    /// of the reducer.
    private func after(
        _ action: any Action,
        _ sender: TestSender,
        at place: SourceLocation
    ) throws -> State? {
        coverage?.note(action)
        if let refusal {
            reporter.failed("A server does not start with these actions: \(refusal).", place)
            return nil
        }
        let state = try reduce(action, sender)
        if state == nil { check.unknown(action, modules, at: place) }
        return state
    }
}

extension Given where Subject == State, State: RootState {
    /// Makes a test of a root state; the policy decides about the actions.
    public init(
        _ state: State,
        policy: TestPolicy? = nil,
        reporter: TestReporter = .issues
    ) {
        var state = state
        let connect = State.connected
        connect(&state)
        self.init(
            state,
            State.modules,
            reporter,
            policy,
            connect: connect,
            takingLedger: State.takingLedger
        ) { $0 }
    }
}

extension Given where Subject: Module, Subject.State == State {
    /// Makes a test of one module with its state.
    public init(_ module: Subject, _ state: State, reporter: TestReporter = .issues) {
        if module.keepsItsEffects {
            let modules = KeptSoleState<Subject>.modules(module)
            self.init(KeptSoleState<Subject>(state), modules, reporter) { $0.state ?? state }
        } else {
            let modules = SoleState<Subject>.modules(module)
            self.init(SoleState<Subject>(state), modules, reporter) { $0.state ?? state }
        }
    }

    /// States the changes of one of the module's public actions.
    public func when(
        _ action: Subject.Interface.Action,
        as principal: String? = nil,
        session: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        when(action as any Action, as: principal, session: session, change, at: place)
    }

    /// States the changes of an action of the module's views.
    public func when(
        _ action: Subject.UI,
        as principal: String? = nil,
        session: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        when(action as any Action, as: principal, session: session, change, at: place)
    }

    /// States the changes of one of the module's internal actions.
    public func when(
        _ action: Subject.Internal,
        as principal: String? = nil,
        session: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        when(action as any Action, as: principal, session: session, change, at: place)
    }

    /// States that one of the module's public actions is refused.
    public func when(
        _ action: Subject.Interface.Action,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String,
        pointer: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        refuse(action, (principal, session), (reason, pointer), at: place)
    }

    /// States that an action of the module's views is refused.
    public func when(
        _ action: Subject.UI,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String,
        pointer: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        refuse(action, (principal, session), (reason, pointer), at: place)
    }

    /// States that one of the module's internal actions is refused.
    public func when(
        _ action: Subject.Internal,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String,
        pointer: String? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        refuse(action, (principal, session), (reason, pointer), at: place)
    }
}
