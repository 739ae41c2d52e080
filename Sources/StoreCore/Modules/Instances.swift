/// Slices of one module under ids of their own: a card for each film, a cart for each visitor.
///
/// On the wire it is an object with a member for each, in the order of their ids.
public struct Instances<State: ModuleState>: ModuleState {
    /// The most bytes that an id has.
    public static var idBytesMax: Int { 128 }

    private var states: [String: State] = [:]

    /// Begins without any.
    public init() {}

    /// The ids, sorted.
    public var ids: [String] { states.keys.sorted() }
    /// How many there are.
    public var count: Int { states.count }
    /// Whether there is none.
    public var isEmpty: Bool { states.isEmpty }

    /// The slice of an id; setting `nil` ends it.
    public subscript(id: String) -> State? {
        get { states[id] }
        set { states[id] = newValue }
    }

    /// Reads an object of slices.
    public init(from decoder: any Decoder) throws {
        states = try decoder.singleValueContainer().decode([String: State].self)
    }

    /// Writes an object of slices.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(states)
    }
}
