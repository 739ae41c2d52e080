import StoreCore
import StoreJSON

/// A client's view of the shelf and the desk.
struct BoardView: ViewModelWithState {
    static let name = "board"
    static let reads: [any Module.Type] = [Shelf.self, Desk.self]

    let label: String
    let count: Int

    init?(state: Workshop) {
        label = state.shelf.label
        count = state.desk.count
    }
}

/// The view of one bin, by its id; empty if the bin does not exist.
struct BinView: ParameterizedViewModel {
    struct Parameters: Codable, Sendable {
        let id: String
    }

    static let name = "bin"
    static let reads: [any Module.Type] = [Bin.self]

    let bin: Bin.State

    init?(state: Workshop, parameters: Parameters) {
        guard let bin = state.bins[parameters.id] else { return nil }
        self.bin = bin
    }
}

/// A view of the texts of the session, the user's coins and the shared texts.
struct NoteView: ViewModelWithState {
    static let name = "note"
    static let reads: [any Module.Type] = [Draft.self, Pin.self, Purse.self, Shelf.self]

    let text: String
    let pins: Int
    let coins: Int
    let label: String

    init?(state: Workshop) {
        let pins = state.pins.value
        guard pins.count != 1 else { return nil }
        text = state.draft.value.text
        self.pins = pins.count
        coins = state.purse.value.coins
        label = state.shelf.label
    }
}

extension WorkshopProgram {
    /// Returns a view with a client's arguments.
    static func view(_ chance: inout Chance, isStream: Bool) -> StreamTarget? {
        let end = isStream ? "/events" : ""
        if chance.happens(1, in: 3) {
            return StreamTarget(path: "/views/note" + end) { text in
                guard let draft = text.part(at: ["draft", "text"]),
                    let label = text.part(at: ["shelf", "label"]),
                    let coins = text.part(at: ["purse", "coins"]),
                    let pins = text.part(at: ["pins"]),
                    let document = try? JSONDocument(parsing: pins.bytes, limits: .unbounded),
                    document.root.members.count != 1
                else { return .absent }
                let count = document.root.members.count
                return .json(
                    Bytewise(
                        "{\"text\":\(draft.text),\"pins\":\(count),\"coins\":\(coins.text),"
                            + "\"label\":\(label.text)}"
                    )
                )
            }
        }
        if chance.happens(1, in: 2) {
            return StreamTarget(path: "/views/board" + end) { text in
                guard let label = text.part(at: ["shelf", "label"]),
                    let count = text.part(at: ["desk", "count"])
                else { return .absent }
                return .json(Bytewise("{\"label\":\(label.text),\"count\":\(count.text)}"))
            }
        }
        let id = Words.id(&chance)
        return StreamTarget(path: "/views/bin\(end)?id=" + StreamTarget.escaped(id)) { text in
            guard let bin = text.part(at: ["bins", id]) else { return .absent }
            return .json(Bytewise("{\"bin\":\(bin.text)}"))
        }
    }
}
