import StoreJSON
import StoreWire
import Testing

@testable import StoreTelemetry

@Suite struct RecentAnalyticsTests {
    private let encoder = CloudEventEncoder(
        source: "/test",
        epoch: Epoch(rawValue: 0x4F1C_09AB),
        encoder: JSONEncoder()
    )

    private func add(_ versions: ClosedRange<UInt64>, to recent: RecentAnalytics, text: String = "")
    {
        for version in versions {
            let record = text.isEmpty ? nil : text
            let event = AnalyticsEvent(
                version: version,
                time: 0,
                type: "Noted",
                subject: nil,
                declaredValue: record
            )
            recent.add(event, encoder)
        }
    }

    private func ids(_ batch: [UInt8]) throws -> [String] {
        struct Event: Decodable { let id: String }
        return try JSONDecoder(limits: .unbounded).decode([Event].self, from: batch).map(\.id)
    }

    @Test func `the newest events are kept, the newest last`() throws {
        let recent = RecentAnalytics(countMax: 3)
        #expect(try ids(recent.newestEventsJSON(limit: 10)) == [])
        for round in 0..<10 {
            let first = UInt64(round * 7 + 1)
            add(first...(first + 6), to: recent)
            let last = first + 6
            #expect(
                try ids(recent.newestEventsJSON(limit: 10))
                    == [last - 2, last - 1, last].map { "4f1c09ab:\($0)" }
            )
            #expect(
                try ids(recent.newestEventsJSON(limit: 2))
                    == [last - 1, last].map { "4f1c09ab:\($0)" }
            )
        }
    }

    @Test func `the newest events have a bound in bytes`() throws {
        let recent = RecentAnalytics(countMax: 1_000)
        let text = String(repeating: "x", count: 1 << 20)
        add(1...40, to: recent, text: text)
        let kept = try ids(recent.newestEventsJSON(limit: 1_000))
        #expect(kept.count == RecentAnalytics.bytesMax / (1 << 20) - 1)
        #expect(kept.last == "4f1c09ab:40")
        // An event above the bound leaves no event.
        add(41...41, to: recent, text: String(repeating: "x", count: RecentAnalytics.bytesMax))
        #expect(try ids(recent.newestEventsJSON(limit: 1_000)) == [])
        add(42...42, to: recent)
        #expect(try ids(recent.newestEventsJSON(limit: 1_000)) == ["4f1c09ab:42"])
    }
}
