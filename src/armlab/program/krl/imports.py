"""IMPORT: variables that belong to the data list of another module."""

from __future__ import annotations

from armlab.messages import Message, _
from armlab.program.krl.data_types import ANY, DataType
from armlab.program.krl.scope import Binding, ModuleScope
from armlab.program.krl.tree import Import


def import_problem(node: Import, module: ModuleScope | None, binding: Binding | None) -> Message | None:
    """Return why a variable cannot be imported from a module, or None."""
    if module is None:
        return Message("krl_import_module", _("there is no module '{module}' to import from"), module=node.module)
    if binding is None:
        template = _("the data list of '{module}' has no '{name}' to import")
        return Message("krl_import_name", template, module=node.module, name=node.original)
    if not module.is_public:
        template = _("'{name}' cannot be imported: the data list of '{module}' is not PUBLIC")
        return Message("krl_import_private", template, module=node.module, name=node.original)
    given = DataType(node.kind, node.dimensions)
    if binding.type not in {given, DataType(ANY.name, node.dimensions)}:
        template = _("'{name}' is {kind} in '{module}', and is imported as {given}")
        kinds = {"kind": str(binding.type), "given": str(given)}
        return Message("krl_import_type", template, module=node.module, name=node.original, **kinds)
    return None
