import React from 'react';
import { Markup } from './markup';

export const App = () => <Markup source={window.location.hash.slice(1)} />;
