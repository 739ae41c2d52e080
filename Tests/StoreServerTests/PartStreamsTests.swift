import StoreCore
import StoreJSON
import StoreWire
import Testing

@testable import StoreHTTP
@testable import StoreHTTPTransport
@testable import StoreHistory
@testable import StorePublishing
@testable import StoreServer

/// The frames of parts as the stream writer gets them. There is no socket.
@Suite struct PartStreamsTests {
    private let epoch = Epoch(rawValue: 0x4f1c_09ab)
    private let layout = SliceLayout(["cards", "counter"])
    private let streams: StreamWriter
    private let parts: PartStreams

    init() throws {
        streams = try StreamWriter(limits: StreamLimits(), frames: .tagged(epoch: epoch))
        parts = PartStreams(
            layout: layout,
            TopicDistributor(streams: streams, epoch: epoch)
        )
    }

    /// Returns a version with these slices and the versions of their last changes.
    private func snapshot(_ version: UInt64, _ slices: (String, UInt64)...) -> Snapshot {
        Snapshot(
            tag: Tag(epoch: epoch, version: version),
            slices: slices.map { PublishedSlice(document: Bytes(utf8: $0.0), version: $0.1) },
            layout: layout
        )
    }

    /// Returns the same version, with instances in the first module.
    private func ofInstances(_ snapshot: Snapshot) throws -> Snapshot {
        let cards = try #require(snapshot.slices[0].bytes).parseDocument()
        let pieces = cards.root.members.map { (key: $0.name, value: Bytes($0.value.source)) }
        let instances = PublishedSlice(
            .pieces(EncodedPieces(SortedTable(sorted: pieces))),
            version: snapshot.slices[0].version
        )
        let slices = [instances] + snapshot.slices.dropFirst()
        return Snapshot(tag: snapshot.tag, slices: slices, layout: layout)
    }

    private func part(_ pointer: String) throws -> WatchedPart {
        parts.part(at: try #require(JSONPointer(pointer)))
    }

    /// Topic, version and data of all frames since the last call.
    private var published: [String] {
        streams.takeMail().inbox.events.compactMap { event in
            guard case .publish(let version, let topic, _) = event else { return nil }
            return text(of: version, topic)
        }.sorted()
    }

    private func text(of version: TopicVersion, _ topic: TopicID) -> String? {
        guard case .frame(let frame) = version.content else { return nil }
        let lines = String(decoding: frame.array, as: UTF8.self).split(separator: "\n")
        let data = lines.first { $0.hasPrefix("data: ") } ?? ""
        return "\(topic) \(version.number) \(data.dropFirst(6))"
    }

    /// Opens a stream of a part. Returns topic, version and data of the first frame.
    private func opened(
        _ part: WatchedPart,
        in parts: PartStreams? = nil,
        _ snapshot: Snapshot
    ) throws -> String? {
        #expect(streams.reservePlace(part.topic))
        let first = (parts ?? self.parts).beginWatching(of: part, in: .snapshot, from: snapshot)
        return text(of: first, part.topic)
    }

    @Test(arguments: [false, true])
    func `each part is sent only if it has changed`(isOfInstances: Bool) throws {
        func snapshot(_ version: UInt64, _ slices: (String, UInt64)...) throws -> Snapshot {
            let snapshot = self.snapshot(version, slices[0], slices[1])
            return isOfInstances ? try ofInstances(snapshot) : snapshot
        }
        let first = try snapshot(1, (#"{"7":{"n":1},"8":{"n":1}}"#, 1), ("0", 1))
        let watched = try [
            part("/cards/7/n"), part("/cards/8"), part("/counter"), part("/cards/9"),
        ]
        let instance = WatchedPart(instance: "7", of: 0, named: "cards")
        #expect(
            try (watched + [instance]).compactMap { try opened($0, first) }.sorted() == [
                #"modules/cards/7 1 {"n":1}"#, "state/cards/7/n 1 1",
                #"state/cards/8 1 {"n":1}"#, "state/cards/9 1 null", "state/counter 1 0",
            ]
        )
        let second = try snapshot(2, (#"{"7":{"n":2},"8":{"n":1}}"#, 2), ("0", 1))
        parts.distribute(second, after: first, for: nil)
        #expect(published == [#"modules/cards/7 2 {"n":2}"#, "state/cards/7/n 2 2"])
        let third = try snapshot(3, (#"{"8":{"n":1},"9":null}"#, 3), ("0", 1))
        parts.distribute(third, after: second, for: nil)
        #expect(
            published == [
                "modules/cards/7 3 null", "state/cards/7/n 3 null", "state/cards/9 3 null",
            ]
        )
        parts.distribute(try snapshot(4, ("{}", 3), ("5", 4)), after: third, for: nil)
        #expect(published == ["state/counter 4 5"])
    }

    @Test func `a stream that opens again has the last frame that was sent`() throws {
        let first = snapshot(1, ("{}", 1), ("1", 1))
        let second = snapshot(2, ("{}", 1), ("2", 2))
        let counter = try part("/counter")
        #expect(try opened(counter, first) == "state/counter 1 1")
        parts.distribute(second, after: first, for: nil)
        #expect(published == ["state/counter 2 2"])
        #expect(try opened(counter, snapshot(3, ("7", 3), ("2", 2))) == "state/counter 2 2")
    }

    @Test func `a session that ends has the first slices again, and its streams go on in time`()
        throws
    {
        let layout = SliceLayout(["draft"], ownership: [.session])
        let sender = TopicDistributor(streams: streams, epoch: epoch)
        let (parts, slices) = (
            PartStreams(layout: layout, sender), SliceStreams(layout, sender)
        )
        func snapshot(_ version: UInt64, own: (json: String, version: UInt64)?) -> Snapshot {
            let first = PublishedSlice(document: Bytes(utf8: #"{"text":""}"#), version: 1)
            let own = own.map {
                ("a", PublishedSlice(document: Bytes(utf8: $0.json), version: $0.version))
            }
            let sessions = OwnedSlices([own].compactMap { $0 }, initial: first, .bareSlice)
            return Snapshot(
                tag: Tag(epoch: epoch, version: version),
                slices: [PublishedSlice(.byReader(sessions), version: own == nil ? version : 2)],
                layout: layout
            )
        }
        let pointer = try #require(JSONPointer("/draft/text"))
        let part = parts.part(at: pointer, for: Viewer(session: "a"))
        let before = snapshot(2, own: (#"{"text":"x"}"#, 2))
        #expect(try opened(part, in: parts, before) == #"state/draft/text 2 "x""#)
        #expect(streams.reservePlace(slices.topicID(of: .slice(0, "a"))))
        let first = slices.firstFrame(of: .slice(0, "a"), in: .snapshot, from: before)
        guard case .shared(let version, _) = first else {
            Issue.record("the slice is not shared")
            return
        }
        #expect(version.number == 2)
        let after = snapshot(5, own: nil)
        parts.distribute(after, after: before, for: nil)
        slices.distribute(after, after: before, for: nil, ["a"])
        let last = published
        #expect(last.count == 2)
        #expect(last.allSatisfy { $0.contains(" 5 ") })
        // The session has a slice of its own that is equal to the first slice.
        let same = snapshot(6, own: (#"{"text":""}"#, 6))
        parts.distribute(same, after: after, for: nil)
        slices.distribute(same, after: after, for: nil, ["a"])
        _ = published
        parts.distribute(snapshot(7, own: nil), after: same, for: nil)
        slices.distribute(snapshot(7, own: nil), after: same, for: nil, ["a"])
        #expect(published == [])
    }

    private func client(_ number: Int) -> WatchingClient {
        .address("192.0.2.\(number)", isForMany: false)
    }

    @Test func `a client leaves places to the others, and its own come back`() throws {
        let one = client(1)
        var places = try (0..<PartStreams.clientPointersMax).map { number in
            try parts.reservePlace(for: part("/cards/\(number)"), of: one)
        }
        let further = try part("/counter")
        let full = WatchRefusal.clientPointers(max: PartStreams.clientPointersMax)
        #expect(throws: full) { try parts.reservePlace(for: further, of: one) }
        // Another stream at the same pointer takes no further place.
        let again = try parts.reservePlace(for: part("/cards/0"), of: one)
        #expect(throws: Never.self) { try parts.reservePlace(for: further, of: client(2)) }
        places[0] = places[1]
        #expect(throws: full) { try parts.reservePlace(for: further, of: one) }
        withExtendedLifetime(again) {}
        places.removeAll()
        #expect(throws: Never.self) { try parts.reservePlace(for: further, of: one) }
    }

    @Test func `the last places are for clients with few, also beside a proxy`() throws {
        let proxy = WatchingClient.address("127.0.0.1", isForMany: true)
        let count = PartStreams.pointersMax - PartStreams.reservedPointerCount
        var places = try (0..<count).map { number in
            try parts.reservePlace(for: part("/cards/\(number)"), of: proxy)
        }
        let full = WatchRefusal.allPointers(max: PartStreams.pointersMax)
        #expect(throws: full) { try parts.reservePlace(for: part("/counter"), of: proxy) }
        // A part that is watched already needs no further place.
        places.append(try parts.reservePlace(for: part("/cards/7"), of: client(1)))
        for number in 1..<PartStreams.reservedPointersPerClientMax {
            places.append(try parts.reservePlace(for: part("/counter/\(number)"), of: client(1)))
        }
        #expect(throws: full) { try parts.reservePlace(for: part("/counter"), of: client(1)) }
        #expect(throws: Never.self) { try parts.reservePlace(for: part("/counter"), of: client(2)) }
        withExtendedLifetime(places) {}
    }

    @Test func `parts that are watched have a bound in bytes, and leave with their readers`() throws
    {
        let large = "\"" + String(repeating: "x", count: PartStreams.clientWatchedBytesMax) + "\""
        let snapshot = snapshot(1, (#"{"a":\#(large),"b":1}"#, 1), ("1", 1))
        let counter = try part("/counter")
        var places: [WatchReservation] = []
        for number in 1...4 {
            // Each client watches the large part through another pointer.
            let large = try part(number == 1 ? "/cards/a" : "/cards")
            places.append(try parts.reservePlace(for: large, of: client(number)))
            _ = try opened(large, snapshot)
        }
        let full = WatchRefusal.bytes(max: PartStreams.clientWatchedBytesMax)
        #expect(throws: full) { try parts.reservePlace(for: counter, of: client(1)) }
        #expect(throws: Never.self) { try parts.reservePlace(for: counter, of: client(9)) }
        places.removeAll()
        #expect(throws: Never.self) { try parts.reservePlace(for: counter, of: client(1)) }
    }
}
