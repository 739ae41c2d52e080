/// A view on a route.
public struct PresentedView: Codable, Equatable, Sendable {
    /// The name of the view.
    public let view: String
    /// The style in which the view is presented.
    public let style: PresentationStyle

    /// Makes a view of a route.
    public init(view: String, style: PresentationStyle) {
        self.view = view
        self.style = style
    }
}

extension PresentedView {
    /// Returns the name of the view of an instance: `cards/7`.
    static func name(_ view: String, of instance: String) -> String { view + "/" + instance }
}

/// The style in which a view is presented.
public enum PresentationStyle: String, Codable, Sendable {
    /// On top of a stack.
    case push
    /// Over all other views, until it is dismissed.
    case modal
    /// In place of all other views.
    case root
}
