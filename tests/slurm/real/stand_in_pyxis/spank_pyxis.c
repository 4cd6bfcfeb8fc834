/*
 * SIMULATED: a SPANK plugin with Pyxis's first option. It starts no container: the task finds the image's name
 * in STAND_IN_IMAGE, by which a test sees that srun and slurmstepd have both loaded it.
 */
#include <stdio.h>

#include <slurm/spank.h>

SPANK_PLUGIN(pyxis, 1);

static char image[256];

static int take_image(int value, const char *given, int remote)
{
	snprintf(image, sizeof(image), "%s", given);
	return ESPANK_SUCCESS;
}

static struct spank_option option = {
	"container-image", "IMAGE", "[stand-in] the image", 1, 0, take_image
};

int slurm_spank_init(spank_t spank, int count, char **arguments)
{
	if (spank_context() == S_CTX_SLURMD || spank_context() == S_CTX_JOB_SCRIPT)
		return ESPANK_SUCCESS;
	return spank_option_register(spank, &option);
}

int slurm_spank_task_init(spank_t spank, int count, char **arguments)
{
	return image[0] ? spank_setenv(spank, "STAND_IN_IMAGE", image, 1) : ESPANK_SUCCESS;
}
