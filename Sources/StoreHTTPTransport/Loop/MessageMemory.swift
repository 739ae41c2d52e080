/// The memory that requests and answers take beyond that of their connections: bodies that are
/// being sent or worked on, and answers that their clients have not read yet.
///
/// One bound covers all of it, and half of the bound is the most for bodies. An address or a
/// principal may take a quarter of it. What is over the bound is refused, if it is a body; of
/// answers, the oldest end (protocol 9.4).
struct MessageMemory {
    /// How much of each body and of each answer belongs to its connection and is not counted: an
    /// action of usual size finds room whatever others hold.
    static let ownBytes = 4 << 10
    /// What the library allocates for an answer that it reads piece by piece (`chttpd.c`).
    static let readerBytes = 64 << 10

    /// The holder of a share of the memory.
    enum Holder: Hashable {
        case address(ClientAddress)
        case principal(String)
    }

    enum Refusal: Equatable {
        /// All bodies together take as much as they may.
        case all(limit: Int)
        /// The address or the principal takes as much as it may.
        case share(limit: Int)
    }

    let bytesMax: Int
    /// The most that one address or principal may take.
    var shareMax: Int { bytesMax / 4 }
    /// The most that bodies may take.
    var bodiesMax: Int { bytesMax / 2 }

    private(set) var bodyBytes = 0
    private(set) var answerBytes = 0
    /// All that is taken.
    var bytes: Int { bodyBytes + answerBytes }

    private var shares: [Holder: Int] = [:]
    /// What several answers may be made of at the same time, by its identity.
    private var pieces: [ObjectIdentifier: (answers: Int, bytes: Int)] = [:]

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// Takes memory for a piece of a body; returns why there is none, and takes nothing then.
    mutating func takeBody(_ count: Int, for holders: [Holder]) -> Refusal? {
        guard bodyBytes + count <= bodiesMax, bytes + count <= bytesMax else {
            return .all(limit: bodiesMax)
        }
        for holder in holders where share(of: holder) + count > shareMax {
            return .share(limit: shareMax)
        }
        bodyBytes += count
        change(by: count, for: holders)
        return nil
    }

    /// Gives the memory of a body back.
    mutating func giveBackBody(_ count: Int, for holders: [Holder]) {
        bodyBytes -= count
        change(by: -count, for: holders)
    }

    /// Takes memory for an answer, over the bound, too: `own` bytes for itself, and pieces that
    /// others may have already. Returns how many bytes were taken.
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

    /// Gives the memory of an answer back, but for pieces that others still have. `taken` is the
    /// number of bytes that were taken for it.
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

/// Bytes that several answers may be made of.
struct SharedPiece {
    let id: ObjectIdentifier
    let bytes: Int
}

/// The memory that a request's body takes, and who takes it.
struct HeldBody {
    var bytes = 0
    let holders: [MessageMemory.Holder]
}
