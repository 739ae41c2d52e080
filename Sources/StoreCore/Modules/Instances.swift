/// Slices of one module under ids of their own: a card for each film, a cart for each visitor.
///
/// They keep the order in which they were started. On the wire it is an object, a member for each.
public struct Instances<State: ModuleState>: ModuleState {
    /// The ids, in the order in which the slices were started.
    public private(set) var ids: [String] = []
    private var states: [String: State] = [:]

    /// Begins without any.
    public init() {}

    /// The most bytes that an id has.
    public static var idBytesMax: Int { 128 }

    /// How many there are.
    public var count: Int { ids.count }
    /// Whether there is none.
    public var isEmpty: Bool { ids.isEmpty }

    /// The slice of an id; setting `nil` ends it.
    public subscript(id: String) -> State? {
        get { states[id] }
        set {
            guard let newValue else {
                if states.removeValue(forKey: id) != nil { ids.removeAll { $0 == id } }
                return
            }
            if states.updateValue(newValue, forKey: id) == nil { ids.append(id) }
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: SliceName.self)
        for key in container.allKeys {
            self[key.stringValue] = try container.decode(State.self, forKey: key)
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: SliceName.self)
        for id in ids {
            if let state = states[id] { try container.encode(state, forKey: SliceName(id)) }
        }
    }
}
