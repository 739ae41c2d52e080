/// A configuration that flags, variables and a file set.
package protocol CommandLineConfiguration: Sendable {
    /// Every option, in the order in which `--help` lists them.
    static var options: [ConfigurationOption<Self>] { get }

    /// The configuration if no option is given.
    static var defaults: Self { get }
}
