"""Settings of a figure, saved on the armature object."""

from typing import cast

import bpy

from .access import goal_settings, is_goal_of, tag

SOLVER_ITEMS = (
    (
        "NONLINEAR",
        "Nonlinear",
        "All goals weighted in one objective, within joint limits at every step",
        0,
    ),
    (
        "VARIABLE_METRIC",
        "Variable Metric",
        "The same objective, by the method of Zhao and Badler's paper",
        1,
    ),
    (
        "PRIORITIZED",
        "Prioritized",
        "Goals of a lower number come first; others get what these leave free",
        2,
    ),
    (
        "PARTICLES",
        "Particles",
        "Random moves of many poses at once, of which the best live on; keeps constraints of your own",
        3,
    ),
)
_WITH_PRIORITIES = {"PRIORITIZED"}


class FigureSettings(bpy.types.PropertyGroup):
    """How Contrapposto poses an armature"""

    solver: bpy.props.EnumProperty(
        name="Solver",
        description="How a pose is found that meets the goals",
        items=SOLVER_ITEMS,
        default="NONLINEAR",
        options=set(),
        update=tag,
        override={"LIBRARY_OVERRIDABLE"},
    )
    use_root_location: bpy.props.BoolProperty(
        name="Move Root",
        description="Let the whole figure move as well as turn, by the location of its root bones",
        default=True,
        options=set(),
        update=tag,
        override={"LIBRARY_OVERRIDABLE"},
    )
    constraints: bpy.props.StringProperty(
        name="Constraints",
        description="Registered constraints by name, with commas between; particles keep them",
        options=set(),
        update=tag,
        override={"LIBRARY_OVERRIDABLE"},
    )
    goals_collection: bpy.props.PointerProperty(
        name="Goals",
        description="Where the goals of this figure are kept together",
        type=bpy.types.Collection,
        override={"LIBRARY_OVERRIDABLE"},
    )
    show_overlay: bpy.props.BoolProperty(
        name="Overlay",
        description="Draw goals, their errors and the balance of the figure in the viewport",
        default=True,
        options=set(),
        override={"LIBRARY_OVERRIDABLE"},
    )
    not_posed: bpy.props.StringProperty(
        name="Not Posed",
        description="Bones in reach of the goals that the last solve did not pose, and why; a line each",
        options=set(),
        override={"LIBRARY_OVERRIDABLE"},
    )
    list_index: bpy.props.IntProperty(options={"HIDDEN"}, override={"LIBRARY_OVERRIDABLE"})
    active_goal: bpy.props.IntProperty(
        name="Active Goal",
        description="Goal whose settings are shown; in Object Mode it is selected as well",
        get=lambda self: self.read_active_goal(),
        set=lambda self, index: self.write_active_goal(index),
        options=set(),
    )

    @property
    def uses_priorities(self) -> bool:
        """Whether the priority of a goal makes a difference to the solver."""
        return self.solver in _WITH_PRIORITIES

    @property
    def constraint_names(self) -> list[str]:
        """What counts besides the goals where the particles solve."""
        return [name.strip() for name in self.constraints.split(",") if name.strip()]

    def read_active_goal(self) -> int:
        """The list follows a goal that is made active in the viewport."""
        active, armature = bpy.context.view_layer.objects.active, cast(bpy.types.Object, self.id_data)
        if active is not None and self.goals_collection and is_goal_of(active, armature):
            index = self.goals_collection.all_objects.find(active.name)
            return index if index >= 0 else self.list_index
        return self.list_index

    def write_active_goal(self, index: int) -> None:
        self.list_index = index
        goals = self.goals_collection.all_objects if self.goals_collection else ()
        # In Pose Mode the bones stay at hand: leaving it would be a surprise.
        if bpy.context.mode == "OBJECT" and 0 <= index < len(goals):
            _select_only(goals[index])


def _select_only(goal: bpy.types.Object) -> None:
    if not goal_settings(goal).is_goal or not goal.visible_get():
        return
    for other in bpy.context.view_layer.objects.selected:
        other.select_set(False)
    goal.select_set(True)
    bpy.context.view_layer.objects.active = goal
