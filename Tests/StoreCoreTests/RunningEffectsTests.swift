import Testing

@testable import StoreCore

@Suite struct RunningEffectsTests {
    private func token(
        _ id: String,
        of module: String = "home",
        _ instance: String? = nil,
        for session: String? = nil,
        sliceOf owner: String? = nil,
        waitedFor watch: EffectWatch? = nil
    ) -> EffectToken {
        EffectToken(
            address: SliceAddress(module: module, SliceKey(owner: owner, instance: instance)),
            id: id,
            cause: EffectCause(version: 1, watch: watch, session: session, wireNameTemplate: "step")
        )
    }

    private func ids(_ tokens: [EffectToken]) -> [String] { tokens.map(\.id).sorted() }

    @Test func `effects are found by id, also several with the same id`() {
        var running = RunningEffects()
        let tokens = [token("a"), token("b"), token("b")]
        for token in tokens { running.insert(token) }
        #expect(running.tokens(id: "a", of: nil).count == 1)
        #expect(running.tokens(id: "b", of: nil).count == 2)
        #expect(running.tokens(id: "c", of: nil).isEmpty)
        running.remove(tokens[1])
        #expect(running.tokens(id: "b", of: nil).first === tokens[2])
        #expect(running.count == 2)
    }

    @Test func `ids are distinguished by their bytes`() {
        var running = RunningEffects()
        running.insert(token("caf\u{E9}"))
        #expect(running.tokens(id: "cafe\u{301}", of: nil).isEmpty)
        #expect(running.tokens(id: "caf\u{E9}", of: nil).count == 1)
    }

    @Test func `an address finds a slice's effects, or all instances' effects of a module`() {
        var running = RunningEffects()
        running.insert(token("whole", of: "cards"))
        running.insert(token("one", of: "cards", "1"))
        running.insert(token("two", of: "cards", "2"))
        running.insert(token("other", of: "home"))
        #expect(ids(running.tokens(of: SliceAddress(module: "cards"))) == ["one", "two", "whole"])
        #expect(
            ids(running.tokens(of: SliceAddress(module: "cards", SliceKey(instance: "2")))) == [
                "two"
            ]
        )
        #expect(running.tokens(of: SliceAddress(module: "user")).isEmpty)
    }

    @Test func `an id and a module's name find a session's own effects`() {
        var running = RunningEffects()
        running.insert(token("a", of: "login", for: "ada", sliceOf: "ada"))
        running.insert(token("a", of: "login", for: "bob", sliceOf: "bob"))
        running.insert(token("a", of: "login"))
        for session in ["ada", "bob", nil] {
            let address = SliceAddress(module: "login", SliceKey(owner: session))
            #expect(running.tokens(id: "a", of: session).map(\.cause.session) == [session])
            #expect(running.tokens(of: address).map(\.cause.session) == [session])
        }
    }

    @Test func `a session's effects are the effects that work for it`() {
        var running = RunningEffects()
        running.insert(token("own", for: "ada"))
        running.insert(token("nobody's"))
        #expect(ids(running.tokens(ofSession: "ada")) == ["own"])
        #expect(running.tokens(ofSession: "bob").isEmpty)
    }

    @Test func `a watch finds all effects that a request waits for, at any depth`() {
        var running = RunningEffects()
        let watch = EffectWatch()
        let below = EffectWatch(
            within: EffectWatch(within: watch, sharing: .failures),
            sharing: .failures
        )
        running.insert(token("first", waitedFor: watch))
        running.insert(token("second", waitedFor: below))
        running.insert(token("other", waitedFor: EffectWatch()))
        running.insert(token("unwatched"))
        #expect(ids(running.tokens(ofRequestOf: watch)) == ["first", "second"])
        #expect(ids(running.tokens(ofRequestOf: below)) == ["first", "second"])
    }

    @Test func `no lookup finds an ended effect`() {
        var running = RunningEffects()
        let watch = EffectWatch()
        let ended = token("a", of: "cards", "1", for: "ada", waitedFor: watch)
        running.insert(ended)
        running.remove(ended)
        running.remove(ended)
        #expect(running.isEmpty && running.tokens.isEmpty)
        #expect(
            running.tokens(id: "a", of: nil).isEmpty && running.tokens(ofSession: "ada").isEmpty
        )
        #expect(running.tokens(of: SliceAddress(module: "cards")).isEmpty)
        #expect(running.tokens(of: SliceAddress(module: "cards", SliceKey(instance: "1"))).isEmpty)
        #expect(running.tokens(ofRequestOf: watch).isEmpty)
    }
}
