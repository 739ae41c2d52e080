import StoreCore
import StorePatterns
import StoreTesting
import Testing

/// Keeps the outcome of each action. The outcome is known when the offer returns.
final class Answers: Completion {
    let all = Recorder<Outcome>()
    func complete(_ outcome: Outcome) { all.record(outcome) }
}

/// A Core of the market, with two sessions.
final class OpenMarket: Sendable {
    let core: Core<Market>
    let journal = MemoryJournal()
    let edited = EditedModules(hasOwnedSlices: true)

    init(_ state: Market = Market(), comparison: ByteComparison? = nil) throws {
        var configuration = CoreConfiguration<Market>()
        configuration.journal = journal
        configuration.editedModules = [edited]
        configuration.haveSameBytes = comparison
        core = try Core(
            state,
            runner: EffectRunner(dependencies: .controlled(by: ManualClock())),
            configuration: configuration
        )
        for name in ["ada", "bob"] { core.dispatch(Sessions.Internal.began(session: name)) }
        _ = (edited.takeModuleIndices(), edited.takeReaders())
    }

    @discardableResult
    func send(
        _ actions: any Action...,
        as session: String? = nil,
        expecting version: UInt64? = nil,
        mode: EnvelopeMode = .apply
    ) throws -> Outcome {
        let answers = Answers()
        try core.engine.offer(
            Envelope(
                members: actions.map { EnvelopeMember(action: $0, type: "\(type(of: $0))") },
                condition: version.map { VersionCondition($0) },
                mode: mode,
                returnsState: true,
                session: session,
                completion: answers
            )
        )
        return try #require(answers.all.values.first)
    }

    /// Returns the state after the actions.
    func state(after actions: any Action..., as session: String? = nil) throws -> Market {
        var last: Market?
        for action in actions {
            guard case .applied(_, _, _, let state) = try send(action, as: session) else {
                continue
            }
            last = state?.value as? Market
        }
        return try #require(last)
    }

    /// Returns the reason why an action is refused.
    func refusal(of action: any Action, as session: String? = nil) throws -> String? {
        guard case .refused(let refusal, _) = try send(action, as: session) else { return nil }
        return refusal.reducerError.map { "\($0)" } ?? refusal.reason
    }

    var state: Market {
        get throws { try state(after: Changed(what: .nothing)) }
    }
}

/// Actions of the whole state.
@Suite struct WholeStateTests {
    @Test func `an action changes two slices of its own session in one version`() throws {
        let market = try OpenMarket()
        for session in ["ada", "bob"] { try market.send(Cart.Action.added("pear"), as: session) }
        let outcome = try market.send(Checkout(), as: "ada")
        guard case .applied(let first, let last, let changed, _) = outcome else {
            throw Unexpected(outcome)
        }
        #expect((first, last, changed) == (5, 5, true))
        let state = try market.state
        #expect(state.orders.placed == ["pear"])
        #expect(state.cart["ada"].items == [])
        #expect(state.cart["bob"].items == ["pear"])
    }

    @Test func `an action has the slice of its own session`() throws {
        let market = try OpenMarket()
        try market.send(Changed(what: .theme), as: "bob")
        try market.send(Changed(what: .cartOfBob), as: "ada")
        let state = try market.state
        #expect(state.theme["bob"] == "dark")
        #expect(state.theme["ada"] == "light")
        #expect(state.theme[Sessions.shared] == "light")
        #expect(state.cart["bob"].items == ["gift"])
        #expect(state.cart.sessions.contains("ada") == false)
    }

    @Test func `an action of the whole state notes only its changes, with their sessions`() throws {
        let market = try OpenMarket()
        try market.send(Changed(what: .theme), as: "bob")
        #expect(market.edited.takeModuleIndices() == [1])
        // All sessions may read the record of the action.
        #expect(market.edited.takeReaders() == .everybody)
        try market.send(Changed(what: .title), as: "bob")
        #expect(market.edited.takeModuleIndices() == [0])
        try market.send(Changed(what: .all), as: "bob")
        // The carts have a copy of the orders' shared value.
        #expect(Set(market.edited.takeModuleIndices()) == [0, 1, 2, 3, 6])
        try market.send(Changed(what: .nothing), as: "bob")
        #expect(market.edited.takeModuleIndices() == [])
    }

    @Test func `a condition holds for a session that sees no change`() throws {
        let market = try OpenMarket()
        let before = market.journal.version
        try market.send(Changed(what: .theme), as: "bob")
        let ada = try market.send(Cart.Action.added("pear"), as: "ada", expecting: before)
        guard case .applied = ada else { throw Unexpected(ada) }
        let bob = try market.send(Cart.Action.added("pear"), as: "bob", expecting: before)
        guard case .versionMismatch = bob else { throw Unexpected(bob) }
    }

    @Test func `a refusal changes nothing, also in the middle of an array`() throws {
        let market = try OpenMarket()
        #expect(try market.refusal(of: Checkout(), as: "ada") == "The cart is empty.")
        let outcome = try market.send(
            Cart.Action.added("pear"),
            Checkout(),
            Checkout(),
            as: "ada"
        )
        guard case .refused(_, member: 2) = outcome else { throw Unexpected(outcome) }
        let state = try market.state
        #expect(state.orders.placed == [])
        #expect(state.cart.sessions == [])
        #expect(market.journal.version == 3)
    }

    @Test func `a dry run notes its changes, and changes nothing`() throws {
        let market = try OpenMarket()
        try market.send(Cart.Action.added("pear"), as: "ada")
        let outcome = try market.send(Checkout(), as: "ada", mode: .dryRun)
        guard case .dryRun(let run) = outcome else { throw Unexpected(outcome) }
        #expect(Set(run.edits.map(\.moduleIndex)) == [2, 3])
        #expect(run.edits.contains(SliceEdit(3, SliceKey(owner: "ada"))))
        #expect(try market.state.cart["ada"].items == ["pear"])
    }

    @Test func `a shared value follows a change of the whole state`() throws {
        let market = try OpenMarket()
        for session in ["ada", "bob"] { try market.send(Cart.Action.added("pear"), as: session) }
        try market.send(Checkout(), as: "ada")
        let state = try market.state
        #expect(state.cart["ada"].placed.value == 1)
        #expect(state.cart["bob"].placed.value == 1)
        // A slice that is written anew still has its copy, and that is no change of the slice.
        try market.send(Changed(what: .cartsAnew), as: "ada")
        #expect(try market.state.cart["ada"].placed.value == 1)
    }

    @Test func `a session that has ended gets nothing`() throws {
        let market = try OpenMarket()
        try market.send(Cart.Action.added("pear"), as: "bob")
        try market.send(Sessions.Internal.ended(session: "bob"), as: "bob")
        let refusal = "The action would change a slice of a session that has ended."
        #expect(try market.refusal(of: Changed(what: .cartOfBob), as: "ada") == refusal)
        #expect(try market.refusal(of: Changed(what: .theme), as: "bob") == refusal)
        #expect(try market.refusal(of: Changed(what: .theme), as: "never") == refusal)
        // An action that changes no slice of the session is applied.
        #expect(try market.state(after: Changed(what: .title), as: "bob").title == "Bazaar")
        let state = try market.state
        #expect((state.cart.sessions, state.theme.sessions) == ([], []))
    }

    @Test func `a session that writes the same value gets no slice of its own`() throws {
        let market = try OpenMarket { _, _ in true }
        let outcome = try market.send(Changed(what: .cartAgain), as: "ada")
        guard case .applied(_, _, changed: false, _) = outcome else { throw Unexpected(outcome) }
        #expect(try market.state.cart.sessions == [])
    }

    @Test func `the first slices of sessions belong to the program`() throws {
        let market = try OpenMarket()
        try market.send(Cart.Action.added("pear"), as: "ada")
        let refusal = try #require(
            try market.refusal(of: Changed(what: .cartsOtherwise), as: "ada")
        )
        #expect(refusal.hasPrefix("an action can't change the default value of sessions"))
        // A table without values lets all sessions begin anew.
        try market.send(Changed(what: .cartsAnew), as: "ada")
        let state = try market.state
        #expect(state.cart["ada"].items == [])
        #expect(state.cart.sessions == ["ada"])
        try market.send(Sessions.Internal.ended(session: "ada"), as: "ada")
        #expect(try market.state.cart.sessions == [])
    }

    @Test func `no action changes a slice that the store keeps itself`() throws {
        let market = try OpenMarket()
        let kept = "is kept by the store itself"
        #expect(try market.refusal(of: Changed(what: .sessions))?.contains(kept) == true)
        var begun = Market()
        begun.effects.insert(PendingEffects.Entry(version: 1, slice: "a", onRestart: .reported))
        let other = try OpenMarket(begun)
        #expect(try other.refusal(of: Changed(what: .effects))?.contains(kept) == true)
        #expect(try other.state.effects.pending.count == 1)
    }

    @Test func `an instance has an id that paths can have`() throws {
        let market = try OpenMarket()
        #expect(try market.state(after: Changed(what: .crate)).crates["7"]?.apples == 7)
        #expect(market.edited.takeModuleIndices() == [6])
        let refusal = try market.refusal(of: Changed(what: .namelessCrate))
        #expect(refusal?.hasPrefix("The id of an instance") == true)
        #expect(try market.state(after: Changed(what: .noCrate)).crates.isEmpty)
    }

    @Test func `a slice that an action ends has its effects cancelled`() async throws {
        let market = try OpenMarket()
        let ended = Recorder<Bool>()
        try Stall.$ended.withValue(ended) {
            try market.send(Stall.start(.init(name: "fruit")))
            try market.send(Stall.Action.waited)
        }
        try market.send(Changed(what: .title))
        #expect(market.core.effectRunner?.runningCount == 1)
        try market.send(Changed(what: .stallGone))
        #expect(try await ended.next())
    }

    @Test func `a replay leads to the same state`() throws {
        let market = try OpenMarket()
        let actions: [(any Action, String?)] = [
            (Cart.Action.added("pear"), "ada"), (Checkout(), "ada"),
            (Changed(what: .all), "bob"), (Changed(what: .cartsAnew), nil),
            (Sessions.Internal.ended(session: "bob"), "bob"),
        ]
        for (action, session) in actions { try market.send(action, as: session) }
        let machine = try ModuleMachine<Market>()
        var replayed = Market()
        machine.fillSharedCopies(in: &replayed)
        let begun = ["ada", "bob"].map { Sessions.Internal.began(session: $0) as any Action }
        for (index, (action, session)) in (begun.map { ($0, nil) } + actions).enumerated() {
            try machine.replayReducer(
                &replayed,
                action,
                session,
                ReducerContextSource(version: UInt64(index + 1))
            )
        }
        #expect(try market.state == replayed)
    }

    // Presenters

    @Test func `a presenter sees the state as the session of the action sees it`() throws {
        let shown = Recorder<MarketPresenter.Shown>()
        try MarketPresenter.$shown.withValue(shown) {
            let market = try OpenMarket()
            try market.send(Changed(what: .theme), as: "bob")
            try market.send(Changed(what: .nothing), as: "bob")
            try market.send(Orders.Action.placed("pear"), as: "ada")
            // The presenter's actions belong to the same session, and do not call the presenter
            // again.
            #expect(try market.state.cart["bob"].items == ["lamp"])
        }
        let values = shown.values
        #expect(values.first == .init(session: nil, old: nil, new: "light", items: []))
        #expect(
            values.suffix(2) == [
                .init(session: "bob", old: "light", new: "dark", items: []),
                .init(session: "ada", old: "light", new: "light", items: []),
            ]
        )
    }

    @Test func `a reaction to the whole state gets each change`() throws {
        let market = try OpenMarket()
        let seen = Recorder<String>()
        market.core.add(
            reaction: .onStateChange { old, new in
                seen.record(old.title + old.theme.value + ">" + new.title + new.theme.value)
                return nil
            }
        )
        try market.send(Changed(what: .theme), as: "ada")
        try market.send(Changed(what: .title), as: "bob")
        #expect(seen.values == ["Marketlight>Marketdark", "Marketlight>Bazaarlight"])
    }
}

private struct Unexpected: Error {
    let outcome: Outcome
    init(_ outcome: Outcome) { self.outcome = outcome }
}
