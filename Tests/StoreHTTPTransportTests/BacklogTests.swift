import StoreJSON
import Testing

@testable import StoreHTTPTransport

@Suite struct BacklogTests {
    private func frame(_ text: String) -> Bytes { Bytes(utf8: text) }

    /// Returns the text that a backlog would send to a reader that takes everything from now on.
    private func rest(of backlog: Backlog) -> String {
        var backlog = backlog
        var sent = ""
        while let (frame, offset) = backlog.head {
            sent += frame.withUnsafeBytes { String(decoding: $0[offset...], as: UTF8.self) }
            backlog.noteSent(frame.count - offset)
        }
        return sent
    }

    @Test func `a backlog goes on within the frame that was begun`() {
        var backlog = Backlog(frame("abcdef"), sent: 2)
        backlog.noteSent(1)
        #expect(rest(of: backlog) == "def")
    }

    @Test func `a short queue keeps its order`() {
        var backlog = Backlog(frame("0"), sent: 0)
        var skipped = 0
        for number in 1...Backlog.framesMax { skipped += backlog.add(frame("\(number)")) }
        #expect(skipped == 0)
        #expect(rest(of: backlog) == (0...Backlog.framesMax).map(String.init).joined())
    }

    @Test func `a backlog beyond its bound keeps the begun frame and the newest`() {
        var backlog = Backlog(frame("begun"), sent: 1)
        for number in 1...Backlog.framesMax { _ = backlog.add(frame("\(number)")) }
        let skipped = backlog.add(frame("newest"))
        #expect(skipped == Backlog.framesMax)
        #expect(rest(of: backlog) == "egunnewest")
    }

    @Test func `large frames count by their bytes`() {
        var backlog = Backlog(frame("a"), sent: 0)
        let large = Bytes(count: Backlog.bytesMax) {
            $0.initializeMemory(as: UInt8.self, repeating: 65)
        }
        let first = backlog.add(large)
        let second = backlog.add(frame("b"))
        #expect(first == 0 && second == 1)
        #expect(rest(of: backlog) == "ab")
    }

    @Test func `the last words come after the begun frame, and nothing after them`() {
        var backlog = Backlog(frame("begun"), sent: 2)
        _ = backlog.add(frame("waiting"))
        backlog.close(with: frame("bye"))
        _ = backlog.add(frame("late"))
        #expect(rest(of: backlog) == "gunbye")
        var untouched = Backlog(frame("never begun"), sent: 0)
        untouched.close(with: frame("bye"))
        #expect(rest(of: untouched) == "bye")
    }

    @Test
    func `a reader gets whole frames, newer each time, up to the last frame`() {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(state: seed)
        for _ in 0..<200 {
            var backlog = Backlog(frame("<0>"), sent: Int.random(in: 0...2, using: &random))
            var output = "<0>".prefix(3 - rest(of: backlog).count).description
            var newest = 0
            for _ in 0..<Int.random(in: 1..<100, using: &random) {
                if Bool.random(using: &random) {
                    newest += 1
                    if backlog.isEmpty {
                        backlog = Backlog(frame("<\(newest)>"), sent: 0)
                    } else {
                        _ = backlog.add(frame("<\(newest)>"))
                    }
                } else if let (head, offset) = backlog.head {
                    let count = Int.random(in: 1...head.count - offset, using: &random)
                    output += head.withUnsafeBytes {
                        String(decoding: $0[offset..<offset + count], as: UTF8.self)
                    }
                    backlog.noteSent(count)
                }
            }
            output += rest(of: backlog)
            let numbers = output.split(separator: "<").map { Int($0.dropLast()) ?? -1 }
            #expect(
                numbers == numbers.sorted() && Set(numbers).count == numbers.count,
                "seed \(seed)"
            )
            #expect(numbers.last == newest, "seed \(seed)")
        }
    }
}

/// A generator that repeats its numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
