import StoreActionCatalog
public import StoreCore
public import Testing

/// A test of one action: given a state, when the action is dispatched, then the state has the
/// stated change.
///
/// ```swift
/// Given(Counter(), Counter.State(step: 2)).when(.increased) { $0.count = 2 }
/// Given(Counter(), Counter.State())
///     .when(.stepChanged(to: 0), refused: "A step of 0 leads nowhere.")
/// ```
///
/// Only the reducer runs, and no effect or presenter follows. The closure of `when` states every
/// change.
///
/// `Subject` is the module under test, or a root state with all of its modules. `State` is the
/// state of the subject.
public struct Given<State: Encodable & Equatable & Sendable, Subject> {
    private let state: State
    private let reporter: TestReporter
    /// The modules' names in quotation marks, for messages.
    private let quotedModuleNames: [String]
    /// The coverage to which this test adds its actions; `nil` if actions are not counted.
    private let coverage = ActionCoverage.current
    /// The reason why a server does not start with the modules' actions; `nil` if a server starts.
    private let startFailure: String?
    /// The function that returns the state after an action; `nil` if the action belongs to none of
    /// the modules.
    private let reduce: (any Action, TestSender) throws -> State?
    private let storeValueCopier: StoreValueCopier<State>

    /// Makes the test for a root state; `shown` returns the part of the root state that is under
    /// test.
    private init<Root: RootState>(
        _ root: Root,
        _ modules: Root.Modules,
        _ reporter: TestReporter,
        _ policy: TestPolicy? = nil,
        _ parts: StoreValueCopier<State> = StoreValueCopier(),
        shown: @escaping (Root) -> State
    ) {
        self.reporter = reporter
        self.quotedModuleNames = Root.quotedNames(of: modules)
        self.storeValueCopier = parts
        state = shown(root)
        startFailure = ActionTable.of(modules).startFailureText
        reduce = { action, sender in
            let machine = try ModuleMachine<Root>(of: modules)
            guard machine.route(of: action) != nil else { return nil }
            try policy?.makeAdmission(of: Root.self).checkAction(action, sender)
            var root = root
            try machine.reduce(&root, action, as: sender.principal, session: sender.session)
            return shown(root)
        }
    }

    /// States the change of an action, or its refusal. If the test states neither, the action must
    /// change nothing.
    ///
    /// - Parameters:
    ///   - action: any action of the modules.
    ///   - principal: the sender for the policy, such as `author/u1`.
    ///   - session: the session that sends the action; the action changes that session's slice.
    ///   - reason: the exact reason of the refusal; `nil` if the action has to be applied.
    ///   - pointer: the faulty member of the refused action; not compared if `pointer` is left out.
    ///   - change: changes the state as the action should.
    ///   - place: the source location at which a failure is reported.
    public func when(
        _ action: any Action,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String? = nil,
        pointer: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        let stated = StatedOutcome(refusalReason: reason, refusalPointer: pointer, change: change)
        compare(action, (principal, session), with: stated, at: place)
    }

    private func compare(
        _ action: any Action,
        _ sender: (principal: String?, session: String?),
        with stated: StatedOutcome<State>,
        at place: SourceLocation
    ) {
        coverage?.markExercised(action)
        if let startFailure {
            reporter.onFailure(startFailure, place)
            return
        }
        let check = StateCheck(
            reporter: reporter,
            functionName: "when",
            storeValueCopier: storeValueCopier
        )
        do {
            let sender = try TestSender(sender.principal, sender.session)
            if let after = try reduce(action, sender) {
                check.checkApplied(action, from: state, to: after, as: stated, at: place)
            } else {
                check.reportUnknown(action, quotedModuleNames, at: place)
            }
        } catch {
            check.checkRefused(action, Refusal(error), as: stated, at: place)
        }
    }
}

extension Given where Subject == State, State: RootState {
    /// Makes a test of a root state. The policy decides which actions a sender may dispatch.
    public init(_ state: State, policy: TestPolicy? = nil, reporter: TestReporter = .issues) {
        var state = state
        let parts = State.storeValueCopier
        parts.fillSharedCopies(&state)
        self.init(state, State.modules, reporter, policy, parts) { $0 }
    }
}

extension Given where Subject: Module, Subject.State == State {
    /// Makes a test of one module with its state.
    public init(_ module: Subject, _ state: State, reporter: TestReporter = .issues) {
        let modules = SoleState<Subject>.modules(module)
        self.init(SoleState<Subject>(state), modules, reporter) { $0.state ?? state }
    }

    /// States the change or the refusal of one of the module's public actions.
    public func when(
        _ action: Subject.Interface.Action,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String? = nil,
        pointer: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        let stated = StatedOutcome(refusalReason: reason, refusalPointer: pointer, change: change)
        compare(action, (principal, session), with: stated, at: place)
    }

    /// States the change or the refusal of one of the module's UI actions.
    public func when(
        _ action: Subject.UI,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String? = nil,
        pointer: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        let stated = StatedOutcome(refusalReason: reason, refusalPointer: pointer, change: change)
        compare(action, (principal, session), with: stated, at: place)
    }

    /// States the change or the refusal of one of the module's internal actions.
    public func when(
        _ action: Subject.Internal,
        as principal: String? = nil,
        session: String? = nil,
        refused reason: String? = nil,
        pointer: String? = nil,
        _ change: ((inout State) throws -> Void)? = nil,
        at place: SourceLocation = #_sourceLocation
    ) {
        let stated = StatedOutcome(refusalReason: reason, refusalPointer: pointer, change: change)
        compare(action, (principal, session), with: stated, at: place)
    }
}
