/* SPDX-License-Identifier: MIT
 *
 * texture.h - what an operation on a texture or a surface does, lane by lane. Private to
 * traces/ptx.
 */
#ifndef GMPTX_TEXTURE_H
#define GMPTX_TEXTURE_H

#include "traces/ptx/exec.h"

/* r[]: four results, a layer where mode2 says so, mode coordinates of type2. */
void gmptx_run_texture(ptx_warp *w, const ptx_op *op);
/* r[]: count elements of type, before or behind the layer and the mode coordinates. */
void gmptx_run_surface_load(ptx_warp *w, const ptx_op *op);
void gmptx_run_surface_store(ptx_warp *w, const ptx_op *op);

#endif
