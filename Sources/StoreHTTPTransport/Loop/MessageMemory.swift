/// The memory of requests and answers, besides the memory of their connections. A body takes memory
/// while it is being received or handled, and an answer until its client has read it.
///
/// A single bound covers all bodies and answers, and bodies may take half of it. An address or a
/// principal may take a quarter of the bound. A body beyond a bound is refused. If answers exceed a
/// bound, the oldest end (protocol 9.4).
struct MessageMemory {
    /// The bytes of each body and of each answer that belong to its connection and are not counted.
    /// So an action of usual size always finds room.
    static let ownBytes = 4 << 10
    /// The bytes that the library allocates for an answer that it reads piece by piece
    /// (`chttpd.c`).
    static let readerBytes = 64 << 10

    /// The holder of a share of the memory.
    enum Holder: Hashable {
        case address(ClientAddress)
        case principal(String)
    }

    let bytesMax: Int
    /// The most bytes of one address or principal.
    var shareMax: Int { bytesMax / 4 }
    /// The most bytes of all bodies together.
    var bodiesMax: Int { bytesMax / 2 }

    private(set) var bodyBytes = 0
    private(set) var answerBytes = 0
    /// The bytes that are taken now.
    var bytes: Int { bodyBytes + answerBytes }

    private var shares: [Holder: Int] = [:]
    /// The pieces that several answers may share, by their identity.
    private var pieces: [ObjectIdentifier: (answers: Int, bytes: Int)] = [:]

    init(bytesMax: Int) { self.bytesMax = bytesMax }

    /// Takes memory for a piece of a body. If there is no memory, takes nothing and returns the
    /// reason.
    mutating func takeBody(_ count: Int, for holders: [Holder]) -> TransportFailure? {
        guard bodyBytes + count <= bodiesMax, bytes + count <= bytesMax else {
            return .bodiesLimit(bodiesMax)
        }
        for holder in holders where share(of: holder) + count > shareMax {
            return .bodiesShare(shareMax)
        }
        bodyBytes += count
        change(by: count, for: holders)
        return nil
    }

    /// Gives back the memory of a body.
    mutating func giveBackBody(_ count: Int, for holders: [Holder]) {
        bodyBytes -= count
        change(by: -count, for: holders)
    }

    /// Takes memory for an answer, even beyond the bound: `own` bytes, and the pieces that no other
    /// answer has taken already. Returns the number of bytes that were taken.
    mutating func takeAnswer(_ own: Int, _ shared: [SharedPiece], for holders: [Holder]) -> Int {
        var taken = own
        for piece in shared {
            let known = pieces[piece.id]
            if known == nil { taken += piece.bytes }
            pieces[piece.id] = ((known?.answers ?? 0) + 1, piece.bytes)
        }
        answerBytes += taken
        change(by: taken, for: holders)
        return taken
    }

    /// Gives back the memory of an answer, except for pieces that other answers still have. `taken`
    /// is the number of bytes that were taken for it.
    mutating func giveBackAnswer(
        _ own: Int,
        _ shared: [SharedPiece],
        taken: Int,
        for holders: [Holder]
    ) {
        answerBytes -= own
        for piece in shared {
            guard let known = pieces[piece.id] else { continue }
            pieces[piece.id] = known.answers > 1 ? (known.answers - 1, known.bytes) : nil
            if known.answers == 1 { answerBytes -= known.bytes }
        }
        change(by: -taken, for: holders)
    }

    /// Returns the bytes that an address or a principal takes.
    func share(of holder: Holder) -> Int { shares[holder, default: 0] }

    private mutating func change(by count: Int, for holders: [Holder]) {
        for holder in holders {
            let share = share(of: holder) + count
            shares[holder] = share > 0 ? share : nil
        }
    }
}

/// Bytes that several answers may share.
struct SharedPiece {
    let id: ObjectIdentifier
    let bytes: Int
}

/// The memory of a request's body, and its holders.
struct HeldBody {
    var bytes = 0
    let holders: [MessageMemory.Holder]
}
