/// A view on a route.
public struct PresentedView: Codable, Equatable, Sendable {
    /// Its name.
    public let view: String
    /// How it came there.
    public let style: PresentationStyle

    /// Names a view, and how it is presented.
    public init(view: String, style: PresentationStyle) {
        self.view = view
        self.style = style
    }
}

extension PresentedView {
    /// The name of the view of one of a module's instances: `cards/7`.
    static func name(_ view: String, of instance: String) -> String { view + "/" + instance }
}

/// How a view is presented.
public enum PresentationStyle: String, Codable, Sendable {
    /// On top of a stack.
    case push
    /// Before all else, until it is dismissed.
    case modal
    /// In place of all else.
    case root
}
