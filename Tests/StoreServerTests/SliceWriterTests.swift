import StoreCore
import StoreJSON
import StoreTesting
import StoreWire
import Synchronization
import Testing

@testable import StoreHTTP
@testable import StorePublishing
@testable import StoreServer

/// The bytes that are kept and joined, compared with a state that is encoded whole.
@Suite struct SliceWriterTests {
    private let epoch = Epoch(rawValue: 0x4f1c_09ab)
    private let edited = EditedModules()
    private let machine: ModuleMachine<DeckState>
    private let writer: SliceWriter<DeckState>
    private let encoded = Encodings()

    init() throws {
        machine = try ModuleMachine(of: DeckState.modules)
        var encoder = JSONEncoder()
        encoder.userInfo[try #require(Encodings.key)] = encoded
        writer = SliceWriter(encoder, edited)
    }

    private func snapshot(_ state: DeckState, _ version: UInt64) throws -> Snapshot {
        try writer.snapshot(state, at: Tag(epoch: epoch, version: version))
    }

    private func apply(_ action: any Action, to state: inout DeckState) {
        // A refusal does not change the state.
        if let change = try? machine.reduce(&state, action, ReducerContextSource(version: 1)) {
            edited.insert(change, from: nil)
        }
    }

    private func text(_ bytes: Bytes?) -> String {
        bytes.map { String(decoding: $0.array, as: UTF8.self) } ?? "nothing"
    }

    private func whole(_ state: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(state), as: UTF8.self)
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the bytes are the whole state's after any start, stop, change and undo`(
        seed: UInt64
    ) throws {
        var random = SeededRandom(seed: seed)
        var state = DeckState()
        var committed = (state: state, snapshot: try snapshot(state, 0))
        writer.keepEncoded()
        var version: UInt64 = 0
        var older: [(Snapshot, String)] = []
        for _ in 0..<300 {
            var newest = committed.snapshot
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    apply(Self.action(using: &random), to: &state)
                    version += 1
                }
                newest = try snapshot(state, version)
                let ids = state.cards.ids
                #expect(newest.slices[1].pieces?.ids == ids)
                if let id = ids.randomElement(using: &random) {
                    let part = newest.slices[1].pieces?[id]
                    #expect(text(part) == (try whole(state.cards[id])), "seed \(seed)")
                }
                // Some bytes are read at once, some after many later states, and some never.
                switch Int.random(in: 0..<3, using: &random) {
                case 0: #expect(text(newest.state) == (try whole(state)), "seed \(seed)")
                case 1: older.append((newest, try whole(state)))
                default: break
                }
            }
            let isSame = committed.state.cards == state.cards
            let isKept = newest.slices[1].version == committed.snapshot.slices[1].version
            #expect(isSame || !isKept, "seed \(seed)")
            if Int.random(in: 0..<3, using: &random) == 0 {
                state = committed.state
                writer.discardEncoded()
            } else {
                writer.keepEncoded()
                committed = (state, newest)
            }
        }
        for (snapshot, state) in older { #expect(text(snapshot.state) == state, "seed \(seed)") }
        #expect(text(try snapshot(state, version).state) == (try whole(state)), "seed \(seed)")
    }

    /// Returns an action on one of few ids, so that actions meet. Some ids are escaped, and two
    /// only look alike.
    private static func action(using random: inout SeededRandom) -> any Action {
        let ids = ["a", "b", "10", "9", "q\"uote", "line\nbreak", "x/y~z", "\u{e9}", "e\u{301}"]
        let id = ids[Int.random(in: 0..<ids.count, using: &random)]
        return switch Int.random(in: 0..<8, using: &random) {
        case 0: Tally.Action.bumped
        case 1, 2: Cards.start(.init()).to(id)
        case 3: Cards.stop.to(id)
        case 4: Cards.Action.turned(to: 0).to(id)
        default: Cards.Action.turned(to: Int.random(in: 0..<3, using: &random)).to(id)
        }
    }

    @Test func `an action on one instance encodes that instance alone`()
        throws
    {
        var state = DeckState()
        for number in 0..<1_000 { state.cards["\(number)"] = Card(face: number) }
        let first = try snapshot(state, 0)
        writer.keepEncoded()
        #expect(encoded.take() == 1_000)
        apply(Cards.Action.turned(to: 7).to("3"), to: &state)
        apply(Cards.Action.turned(to: 8).to("3"), to: &state)
        let second = try snapshot(state, 2)
        #expect(encoded.take() == 1)
        #expect(second.slices[1].version == 2)
        #expect(second.slices[0].version == 0)
        let (old, new) = try (#require(first.slices[1].pieces), #require(second.slices[1].pieces))
        #expect(old["4"] === new["4"])
        #expect(text(second.slices[1].bytes) == (try whole(state.cards)))
        #expect(second.slices[1].bytes === second.slices[1].bytes, "it is put together once")
        _ = second.state
        #expect(encoded.take() == 0, "joined slices are not encoded again")
    }

    @Test func `thousands of instances in one batch are encoded once each`() throws {
        var state = DeckState()
        _ = try snapshot(state, 0)
        writer.keepEncoded()
        for _ in 0..<2 {
            for number in 0..<3_000 { apply(Cards.start(.init()).to("\(number)"), to: &state) }
        }
        for number in 0..<1_000 { apply(Cards.stop.to("\(number)"), to: &state) }
        let newest = try snapshot(state, 7_000)
        #expect(encoded.take() == 2_000)
        #expect(text(newest.state) == (try whole(state)))
    }

    @Test func `an instance with its value from before the batch has not changed`() throws {
        var state = DeckState()
        state.cards["a"] = Card(face: 0)
        let first = try snapshot(state, 0)
        writer.keepEncoded()
        apply(Cards.stop.to("a"), to: &state)
        apply(Cards.start(.init()).to("a"), to: &state)
        apply(Cards.start(.init()).to("b"), to: &state)
        apply(Cards.stop.to("b"), to: &state)
        let second = try snapshot(state, 4)
        #expect(second.slices[1].version == 0)
        #expect(second.slices[1].bytes === first.slices[1].bytes)
    }

    @Test func `a state without a JSON form leaves nothing behind`() throws {
        var state = DeckState()
        state.cards["a"] = Card(face: 1)
        _ = try snapshot(state, 0)
        writer.keepEncoded()
        let base = state
        apply(Cards.start(.init()).to("b"), to: &state)
        apply(Cards.Action.weighed(.infinity).to("a"), to: &state)
        #expect(throws: JSONError.self) { try snapshot(state, 2) }
        writer.discardEncoded()
        state = base
        apply(Cards.start(.init()).to("c"), to: &state)
        let newest = try snapshot(state, 1)
        #expect(newest.slices[1].pieces?.ids == ["a", "c"])
        #expect(text(newest.state) == (try whole(state)))
    }
}

/// The number of slices that were encoded since the last call.
private final class Encodings: Sendable {
    static let key = CodingUserInfoKey(rawValue: "encodings")
    private let count = Atomic(0)

    func add() { count.add(1, ordering: .relaxed) }
    func take() -> Int { count.exchange(0, ordering: .relaxed) }
}

private struct Card: ModuleState {
    var face: Int
    var weight = 0.0

    private enum CodingKeys: CodingKey { case face, weight }

    init(face: Int) { self.face = face }

    func encode(to encoder: any Encoder) throws {
        (Encodings.key.flatMap { encoder.userInfo[$0] } as? Encodings)?.add()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(face, forKey: .face)
        try container.encode(weight, forKey: .weight)
    }
}

private struct Cards: StartableModule {
    typealias State = Card

    enum Action: ModuleAction {
        case turned(to: Int)
        case weighed(Double)
    }

    func begin(_ start: NoFields) -> Card { Card(face: 0) }

    func reduce(_ state: inout Card, _ action: Action) {
        switch action {
        case .turned(let face): state.face = face
        case .weighed(let weight): state.weight = weight
        }
    }
}

private struct Tally: Module {
    struct State: ModuleState {
        var count = 0
    }

    enum Action: ModuleAction {
        case bumped
    }

    func reduce(_ state: inout State, _ action: Action) { state.count += 1 }
}

private struct DeckState: RootState {
    var tally = Tally.State()
    var cards = Instances<Card>()

    static let modules: Modules = [Tally().at(\.tally), Cards().at(\.cards)]
}
