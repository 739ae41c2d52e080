// Who has the state has what its modules show to others.
@_exported public import CounterInterface
@_exported public import HomeInterface
@_exported public import LoginInterface
@_exported public import LoginUseCases
@_exported public import MovieCardInterface
@_exported public import TodosInterface
@_exported public import UserInterface
