import StoreTestSupport
import Testing

@testable import StoreJSON
@testable import StoreWire

@Suite struct SSEFrameTests {
    private let tag = Tag(epoch: Epoch(rawValue: 0x4f1c_09ab), version: 42)

    @Test func `protocol 4.2: a state is an unnamed event with its tag`() {
        let frame = SSEFrame.state(Bytes(utf8: "{\"a\":1}"), at: tag)

        #expect(text(frame) == "id: 4f1c09ab:42\ndata: {\"a\":1}\n\n")
    }

    @Test func `protocol 4.3: snapshots and patches carry their names in a patch stream`() {
        #expect(
            text(SSEFrame.state(Bytes(utf8: "1"), at: tag, isNamed: true))
                == "event: snapshot\nid: 4f1c09ab:42\ndata: 1\n\n"
        )
        #expect(
            text(SSEFrame.patch(Bytes(utf8: "[]"), to: tag))
                == "event: patch\nid: 4f1c09ab:42\ndata: []\n\n"
        )
    }

    @Test func `protocol 4.6: resync has the reason, without an id`() {
        let frames = SSEFrame.ResyncReason.allCases.map { text(SSEFrame.resync($0)) }

        #expect(
            frames
                == ["epoch-changed", "malformed", "history-gone", "ahead"].map {
                    "event: resync\ndata: {\"reason\":\"\($0)\"}\n\n"
                }
        )
    }

    @Test func `protocol 4.7: heartbeat and bye have no id`() {
        #expect(
            text(SSEFrame.heartbeat(at: tag))
                == "event: heartbeat\ndata: {\"epoch\":\"4f1c09ab\",\"version\":42}\n\n"
        )
        #expect(
            text(SSEFrame.bye(.slow, retryMilliseconds: 2_000))
                == "retry: 2000\nevent: bye\ndata: {\"reason\":\"slow\",\"retry\":2000}\n\n"
        )
        #expect(text(SSEFrame.retry(milliseconds: 1_500)) == "retry: 1500\n\n")
    }

    @Test(arguments: [
        ("a\nb", ["a", "b"]), ("a\r\nb", ["a", "b"]), ("a\rb", ["a", "b"]), ("", [""]),
        ("a\n", ["a", ""]), ("\n\n", ["", "", ""]), ("a\r\n\rb\n\nc", ["a", "", "b", "", "c"]),
        ("\r", ["", ""]),
    ])
    func `each line of the data is a line of its own`(data: String, lines: [String]) {
        let frame = text(SSEFrame.encode(data: data))

        #expect(frame == lines.map { "data: \($0)\n" }.joined() + "\n")
    }

    @Test func `no given text can begin another field or event`() {
        let evil = "x\ndata: y\r\n\r\nevent: z\u{0}\r"
        let frame = text(SSEFrame.encode(event: evil, id: evil, data: "d"))

        #expect(
            frame == "event: xdata: yevent: z\nid: xdata: yevent: z\ndata: d\n\n"
        )
    }

    @Test func `a reader by the standard gets every sent event back`() {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var random = SplitMix(seed: seed)
        let alphabet = Array("a:\n\r \u{0}ä".unicodeScalars)
        for _ in 0..<2_000 {
            let word = { (length: Int) -> String in
                var text = ""
                for _ in 0..<length {
                    text.unicodeScalars.append(
                        alphabet[Int(random.next() % UInt64(alphabet.count))]
                    )
                }
                return text
            }
            let (event, id, data) = (word(3), word(3), word(12))

            let events = read(text(SSEFrame.encode(event: event, id: id, data: data)))

            let oneLine = { (text: String) in
                String(
                    String.UnicodeScalarView(
                        text.unicodeScalars.filter { !"\n\r\0".unicodeScalars.contains($0) }
                    )
                )
            }
            #expect(events.count == 1)
            #expect(events.first?.event == oneLine(event))
            #expect(events.first?.id == oneLine(id))
            #expect(events.first?.data == lines(data).joined(separator: "\n"))
        }
    }

    private func text(_ frame: Bytes) -> String {
        frame.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private func lines(_ text: String) -> [String] {
        var lines = [""]
        var previous: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar == "\r" || (scalar == "\n" && previous != "\r") {
                lines.append("")
            } else if scalar != "\n" {
                lines[lines.count - 1].unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        return lines
    }

    private struct Event {
        var event = ""
        var id = ""
        var data: String?
    }

    /// Reads events as the standard describes it (HTML §9.2.6), in code of this test's own.
    private func read(_ stream: String) -> [Event] {
        var events: [Event] = []
        var event = Event()
        for line in lines(stream).dropLast() {
            if line.isEmpty {
                if event.data != nil { events.append(event) }
                event = Event()
                continue
            }
            let scalars = line.unicodeScalars
            let colon = scalars.firstIndex(of: ":") ?? scalars.endIndex
            let name = String(scalars[..<colon])
            var value =
                colon == scalars.endIndex ? "" : String(scalars[scalars.index(after: colon)...])
            if value.unicodeScalars.first == " " { value.unicodeScalars.removeFirst() }
            switch name {
            case "event": event.event = value
            case "id": event.id = value
            case "data": event.data = event.data.map { $0 + "\n" + value } ?? value
            default: break
            }
        }
        return events
    }
}
