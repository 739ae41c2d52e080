/// The memory of bodies and answers, without the memory of their connections. A body takes memory
/// while the body is being received or handled. An answer takes memory until the client has read
/// the answer.
///
/// A single bound covers all bodies and answers, and bodies may take half of the bound. An address
/// or a principal may take a quarter of the bound. A body beyond a bound is refused. If answers
/// exceed a bound, the connections of the oldest answers are closed (protocol 9.4).
struct MessageMemory {
    /// The number of bytes at the beginning of each body and each answer that do not count. So
    /// there is always room for an action of usual size.
    static let uncountedBytes = 4 << 10
    /// The bytes that the library allocates for an answer in pieces (`chttpd.c`).
    static let answerBlockBytes = 64 << 10

    enum Holder: Hashable {
        case address(ClientAddress)
        case principal(String)
    }

    let bytesMax: Int
    /// The most bytes that one address or principal takes.
    var shareBytesMax: Int { bytesMax / 4 }
    /// The most bytes of all bodies together.
    var bodiesBytesMax: Int { bytesMax / 2 }

    private(set) var bodyBytes = 0
    private(set) var answerBytes = 0
    var takenBytes: Int { bodyBytes + answerBytes }

    private var bytesByHolder: [Holder: Int] = [:]
    /// The pieces of all unread answers, by the identity of the piece. Several answers may share a
    /// piece.
    private var pieces: [ObjectIdentifier: (answerCount: Int, byteCount: Int)] = [:]

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Takes memory for a piece of a body. If a bound would be exceeded, takes nothing and returns
    /// the reason.
    mutating func takeBody(_ count: Int, for holders: [Holder]) -> TransportFailure? {
        guard bodyBytes + count <= bodiesBytesMax, takenBytes + count <= bytesMax else {
            return .bodiesLimit(bodiesBytesMax)
        }
        for holder in holders where takenBytes(of: holder) + count > shareBytesMax {
            return .bodiesLimitPerClient(shareBytesMax)
        }
        bodyBytes += count
        changeTakenBytes(by: count, for: holders)
        return nil
    }

    mutating func giveBackBody(_ count: Int, for holders: [Holder]) {
        bodyBytes -= count
        changeTakenBytes(by: -count, for: holders)
    }

    /// Takes memory for an answer, even beyond the bound. Counts the answer's own bytes, and the
    /// pieces that no other answer has.
    mutating func take(_ answer: UnreadAnswer) {
        answer.takenBytes = answer.ownBytes
        for piece in answer.pieces {
            let known = pieces[piece.id]
            if known == nil { answer.takenBytes += piece.byteCount }
            pieces[piece.id] = ((known?.answerCount ?? 0) + 1, piece.byteCount)
        }
        answerBytes += answer.takenBytes
        changeTakenBytes(by: answer.takenBytes, for: answer.holders)
    }

    /// Gives back the memory of an answer, except for pieces that other answers still have.
    mutating func giveBack(_ answer: UnreadAnswer) {
        answerBytes -= answer.ownBytes
        for piece in answer.pieces {
            guard let known = pieces[piece.id] else { continue }
            pieces[piece.id] =
                known.answerCount > 1 ? (known.answerCount - 1, known.byteCount) : nil
            if known.answerCount == 1 { answerBytes -= known.byteCount }
        }
        changeTakenBytes(by: -answer.takenBytes, for: answer.holders)
    }

    func takenBytes(of holder: Holder) -> Int { bytesByHolder[holder, default: 0] }

    private mutating func changeTakenBytes(by count: Int, for holders: [Holder]) {
        for holder in holders {
            let share = takenBytes(of: holder) + count
            bytesByHolder[holder] = share > 0 ? share : nil
        }
    }
}

/// Bytes that several answers may share.
struct SharedPiece {
    let id: ObjectIdentifier
    let byteCount: Int
}

struct BodyMemory {
    var byteCount = 0
    let holders: [MessageMemory.Holder]
}
