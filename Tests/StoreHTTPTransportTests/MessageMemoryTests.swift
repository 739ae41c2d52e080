import Testing

@testable import StoreHTTPTransport

@Suite struct MessageMemoryTests {
    private let ada = MessageMemory.Holder.principal("ada")
    private let bob = MessageMemory.Holder.principal("bob")

    private func pieces(_ counts: [Int]) -> (objects: [AnyObject], pieces: [SharedPiece]) {
        let objects = counts.map { _ in Object() }
        return (
            objects, zip(objects, counts).map { .init(id: ObjectIdentifier($0), byteCount: $1) }
        )
    }

    private final class Object {}

    private let record = LoopConnection(
        descriptor: -1,
        peer: .unknown,
        isAdmin: false,
        deadline: .infinity
    )

    private func answer(
        _ own: Int,
        _ pieces: [SharedPiece] = [],
        for holder: MessageMemory.Holder
    ) -> UnreadAnswer {
        UnreadAnswer(record, ownBytes: own, pieces, [holder])
    }

    @Test func `bodies take half of the bound, and a single holder a quarter`() {
        var memory = MessageMemory(bytesMax: 1_000)
        #expect(memory.takeBody(250, for: [ada]) == nil)
        #expect(memory.takeBody(1, for: [bob, ada]) == .bodiesLimitPerClient(250))
        #expect(memory.takeBody(250, for: [bob]) == nil)
        #expect(memory.takeBody(1, for: []) == .bodiesLimit(500))
        memory.giveBackBody(250, for: [ada])
        #expect(memory.takeBody(1, for: [ada]) == nil)
        #expect(memory.takenBytes == 251 && memory.takenBytes(of: ada) == 1)
    }

    @Test func `bodies may take the memory that answers leave`() {
        var memory = MessageMemory(bytesMax: 1_000)
        let large = answer(900, for: ada)
        memory.take(large)
        #expect(memory.takeBody(101, for: []) == .bodiesLimit(500))
        #expect(memory.takeBody(100, for: []) == nil)
        memory.giveBack(large)
        #expect(memory.takenBytes == 100 && memory.takenBytes(of: ada) == 0)
    }

    @Test func `a piece of several answers is taken once, until the last of them has ended`() {
        var memory = MessageMemory(bytesMax: 1_000)
        let made = pieces([100, 200])
        let first = answer(1, made.pieces, for: ada)
        let second = answer(1, [made.pieces[1]], for: bob)
        memory.take(first)
        memory.take(second)
        #expect(first.takenBytes == 301 && second.takenBytes == 1 && memory.takenBytes == 302)
        memory.giveBack(first)
        #expect(memory.takenBytes == 201)
        memory.giveBack(second)
        #expect(
            memory.takenBytes == 0 && memory.takenBytes(of: ada) == 0
                && memory.takenBytes(of: bob) == 0
        )
    }

    @Test func `the oldest answers come first, of one holder or of all`() {
        var unread = UnreadAnswers()
        let answers = (0..<200).map {
            UnreadAnswer(record, ownBytes: 1, [], $0 % 2 == 0 ? [ada] : [])
        }
        for answer in answers {
            answer.takenBytes = 1
            unread.add(answer)
        }
        #expect(unread.oldest(except: answers[0]) === answers[1])
        #expect(unread.oldest(except: answers[0], of: ada) === answers[2])
        unread.noteEnding(answers[1])
        #expect(unread.oldest(except: answers[0]) === answers[2] && unread.endingBytes == 1)
        for answer in answers[..<150] { unread.remove(answer) }
        #expect(unread.count == 50 && unread.endingBytes == 0)
        #expect(unread.oldest(except: answers[199]) === answers[150])
        for answer in answers[150...].reversed() { unread.remove(answer) }
        #expect(unread.count == 0 && unread.oldest(except: answers[0]) == nil)
    }
}
